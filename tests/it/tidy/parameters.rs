//! The stages of a hook take the turn that they work on, not each part of it.

use super::source::Source;
use super::{assert_complains, assert_content, assert_tidy};

const MAX_PARAMETERS: usize = 4;

#[test]
fn functions_of_the_hook_have_few_parameters() {
    assert_tidy(parameters);
    let path = "src/ops/hook/a.rs";
    let long = "fn f<T: Fn(u8, u8) -> u8>(a: A<B, C>, b: (u8, u8), c: T,\n    d: u8, e: u8,) {}";
    assert_complains(parameters, path, long, "src/ops/hook/a.rs: `f` has 5 parameters");
    assert_content(parameters, path, "fn f(a: A<B, C>, b: (u8, u8), c: impl Fn(u8, u8) -> u8, d: u8) {}");
    assert_content(parameters, "src/rules/a.rs", long);
}

fn parameters(files: &[Source]) -> Vec<String> {
    let is_of_hook = |file: &&Source| {
        ["src/ops/hook/", "src/ops/hook.rs", "src/ops/trace.rs", "src/ops/turn.rs"]
            .iter()
            .any(|start| file.path.starts_with(start))
    };
    let mut complaints = Vec::new();
    for file in files.iter().filter(is_of_hook) {
        for (at, _) in file.text.match_indices("fn ") {
            let (name, rest) = file.text[at + 3..].split_at(name_length(&file.text[at + 3..]));
            let count = count_parameters(rest);
            if !name.is_empty() && count > MAX_PARAMETERS {
                complaints.push(format!("{}: `{name}` has {count} parameters", file.path));
            }
        }
    }
    complaints
}

fn name_length(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// Counts the parameters of a function whose name ends where this text begins.
fn count_parameters(text: &str) -> usize {
    let (mut depth, mut in_generics, mut count, mut has_text) = (0, text.starts_with('<'), 0, false);
    let mut last = ' ';
    for c in text.chars() {
        match c {
            '(' | '[' | '{' | '<' => depth += 1,
            '>' if last == '-' => {}
            ')' | ']' | '}' | '>' => depth -= 1,
            _ => {}
        }
        match (in_generics, depth, c) {
            (true, 0, _) => in_generics = false,
            (false, 0, _) => break,
            (false, 1, ',') => {
                count += usize::from(has_text);
                has_text = false;
            }
            (false, _, _) if !(c.is_whitespace() || depth == 1 && c == '(') => has_text = true,
            _ => {}
        }
        last = c;
    }
    count + usize::from(has_text)
}
