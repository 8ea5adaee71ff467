//! The shape of a command: the program and the names of its options, without what varies.

use crate::shell::{self, SimpleCommand};

/// Returns the shape of the part of a line that runs a program: `git push -u` of `cd x && git push -u origin y`.
pub(crate) fn shape(line: &str, program: &str) -> Option<String> {
    let parts = shell::parts(line);
    let part = parts.iter().find(|part| shell::program(part).as_deref() == Some(program))?;
    Some(shape_of(part, program))
}

fn shape_of(part: &SimpleCommand, program: &str) -> String {
    let mut options: Vec<&str> = part
        .words
        .iter()
        .filter(|word| word.starts_with('-') && word.len() > 1)
        .map(|word| word.split('=').next().unwrap_or(word))
        .collect();
    options.sort_unstable();
    options.dedup();
    format!("{program} {}", options.join(" ")).trim_end().to_owned()
}

/// Returns the shapes of all parts of a line.
pub(crate) fn shapes(line: &str) -> Vec<String> {
    let parts = shell::parts(line);
    let programs: Vec<(&SimpleCommand, String)> =
        parts.iter().filter_map(|part| Some((part, shell::program(part)?))).collect();
    // A program that runs twice has the shape of its first run.
    let first = |name: &str| programs.iter().find(|(_, program)| program == name).map(|(part, _)| *part);
    programs.iter().filter_map(|(_, program)| Some(shape_of(first(program)?, program))).collect()
}

#[cfg(test)]
mod tests {
    use super::{shape, shapes};

    #[test]
    fn a_shape_has_options_without_values() {
        assert_eq!(shape("cd x && git push -u origin y", "git push").as_deref(), Some("git push -u"));
        assert_eq!(shape("git push --force=x -q", "git push").as_deref(), Some("git push --force -q"));
        assert_eq!(shape("git push", "git pull"), None);
        assert_eq!(shapes("git add . && git push"), ["git add", "git push"]);
    }
}
