//! The shape of a command: the program and the names of its options, without what varies.

use crate::shell::{self, SimpleCommand};

/// Returns the shape of the part of a line that runs a program: `git push -u` of `cd x && git push -u origin y`.
pub(crate) fn shape(line: &str, program: &str) -> Option<String> {
    let parts = shell::parts(line);
    let part = parts.iter().find(|part| shell::program(part).as_deref() == Some(program))?;
    Some(shape_of(part, program))
}

/// Returns the first part of a line that runs a program in this shape.
pub(super) fn part_of(line: &str, program: &str, shape: &str) -> Option<SimpleCommand> {
    let is_it = |part: &SimpleCommand| {
        shell::program(part).as_deref() == Some(program) && shape_of(part, program) == shape
    };
    shell::parts(line).into_iter().find(is_it)
}

pub(super) fn shape_of(part: &SimpleCommand, program: &str) -> String {
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

#[cfg(test)]
mod tests {
    use super::{part_of, shape};

    #[test]
    fn a_shape_has_options_without_values() {
        assert_eq!(shape("cd x && git push -u origin y", "git push").as_deref(), Some("git push -u"));
        assert_eq!(shape("git push --force=x -q", "git push").as_deref(), Some("git push --force -q"));
        assert_eq!(shape("git push", "git pull"), None);
        assert_eq!(part_of("git add . && git push", "git push", "git push").unwrap().words, ["git", "push"]);
        assert_eq!(
            part_of("git push -f && git push", "git push", "git push").unwrap().words,
            ["git", "push"]
        );
        assert_eq!(part_of("git push -f", "git push", "git push"), None);
    }
}
