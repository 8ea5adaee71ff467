//! The files that programs change themselves: it is known that they change, but not their new content.

use super::resolve::ShellWord;

/// Returns the files that a program names and changes, as in `sed -i`, `mv`, `touch`.
pub(super) fn changed(name: &str, arguments: &[ShellWord]) -> Vec<ShellWord> {
    let option = |matches: fn(&str) -> bool| arguments.iter().any(|word| matches(&word.text));
    match name {
        "sed" if option(|text| text.starts_with("-i") || text.starts_with("--in-place")) => {
            let files = operands(arguments, &["-e", "-f", "--expression", "--file"]);
            let has_script = option(|text| matches!(text, "-e" | "-f") || text.starts_with("--expression"));
            files.into_iter().skip(usize::from(!has_script)).collect()
        }
        "perl" if option(|text| text.starts_with('-') && !text.starts_with("--") && text.contains('i')) => {
            operands(arguments, &["-e", "-pe", "-ne", "-pie", "-E", "-M", "-I"])
        }
        "cp" | "mv" | "install" => moved(&operands(arguments, &["-m", "-o", "-g", "-S"])),
        "touch" => operands(arguments, &["-t", "-d", "-r"]),
        "truncate" => operands(arguments, &["-s", "-r"]),
        "patch" => operands(arguments, &["-i", "-d", "-p", "-o"]).into_iter().take(1).collect(),
        _ => Vec::new(),
    }
}

/// The last name is the file, or the folder that the others go into.
fn moved(operands: &[ShellWord]) -> Vec<ShellWord> {
    let Some((to, from)) = operands.split_last().filter(|(_, from)| !from.is_empty()) else {
        return Vec::new();
    };
    if from.len() == 1 && !to.text.ends_with('/') && !matches!(to.text.as_str(), "." | "..") {
        return vec![to.clone()];
    }
    let inside = from.iter().map(|file| {
        let name = file.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let text = format!("{}/{name}", to.text.trim_end_matches('/'));
        ShellWord { text, is_known: to.is_known && file.is_known, ..to.clone() }
    });
    inside.collect()
}

/// Returns the arguments that are neither options nor values of the options in `with_value`.
fn operands(arguments: &[ShellWord], with_value: &[&str]) -> Vec<ShellWord> {
    let mut words = arguments.iter();
    let mut operands = Vec::new();
    while let Some(word) = words.next() {
        if with_value.contains(&word.text.as_str()) {
            words.next();
        } else if !word.text.starts_with('-') && !word.text.is_empty() {
            operands.push(word.clone());
        }
    }
    operands
}
