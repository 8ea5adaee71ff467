//! The scripts of the viewer: what they may not say, how they import each other, and how large they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::source::Source;
use super::{assert_complains, assert_content};

/// Everything that a first visit loads, before compression; the sample is loaded only when it is asked for.
const MAX_PAGE_BYTES: usize = 420 * 1024;
const MAX_SAMPLE_BYTES: usize = 60 * 1024;
const MAX_MODULE_LINES: usize = 400;
const MAX_FUNCTION_LINES: usize = 60;

/// What would let a text become markup, a script or an address, with the only file that may say it.
const FORBIDDEN: [(&str, &str); 20] = [
    ("innerHTML", ""),
    ("outerHTML", ""),
    ("insertAdjacentHTML", ""),
    ("srcdoc", ""),
    ("document.write", ""),
    ("DOMParser", ""),
    ("createContextualFragment", ""),
    ("eval(", ""),
    ("Function(", ""),
    ("dangerouslySetInnerHTML", ""),
    ("javascript:", ""),
    ("http:", ""),
    ("https:", ""),
    ("style=\"", ""),
    (" onclick=", ""),
    (" onerror=", ""),
    ("localStorage", "assets/ui/door.js"),
    ("sessionStorage", "assets/ui/door.js"),
    ("Date.now", "assets/ui/time.js"),
    ("new Date(", "assets/ui/time.js"),
];

const SVG_NAMESPACE: &str = "http://www.w3.org/2000/svg";

fn page() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("assets/ui")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder of the page") {
            let path: PathBuf = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let shown = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
            files.push(Source { path: shown, text: fs::read_to_string(&path).expect("UTF-8") });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    assert!(files.iter().any(|file| file.path == "assets/ui/main.js"), "the page is in assets/ui");
    files
}

fn modules(files: &[Source]) -> impl Iterator<Item = &Source> {
    files.iter().filter(|file| file.path.ends_with(".js"))
}

fn forbidden(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in files.iter().filter(|file| !file.path.ends_with("sample.json")) {
        for (index, line) in file.text.lines().enumerate() {
            let line = line.replace(SVG_NAMESPACE, "");
            for (word, home) in FORBIDDEN {
                if line.contains(word) && file.path != home {
                    complaints.push(format!("{}:{}: {word}", file.path, index + 1));
                }
            }
        }
    }
    complaints
}

fn too_long(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    for file in modules(files) {
        let lines: Vec<&str> = file.text.lines().collect();
        if lines.len() > MAX_MODULE_LINES {
            complaints.push(format!("{}: {} lines", file.path, lines.len()));
        }
        let mut start = None;
        for (index, line) in lines.iter().enumerate() {
            if declared(line).is_some() && line.ends_with('{') {
                start = Some(index);
            } else if let Some(begin) = start
                && line.starts_with('}')
            {
                if index + 1 - begin > MAX_FUNCTION_LINES {
                    complaints.push(format!(
                        "{}:{}: a function of {} lines",
                        file.path,
                        begin + 1,
                        index + 1 - begin
                    ));
                }
                start = None;
            }
        }
    }
    complaints
}

/// Returns the name that a line declares at the top of a module.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("export ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = ["function ", "const ", "let ", "class "].iter().find_map(|word| line.strip_prefix(word))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

/// Modules are joined into one script, so their names must not meet and their imports must be plain.
fn unlinkable(files: &[Source]) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    for file in modules(files) {
        for (index, line) in file.text.lines().enumerate() {
            let at = index + 1;
            if let Some(name) = declared(line)
                && let Some(other) = homes.insert(name, &file.path)
            {
                complaints.push(format!("{}:{at}: {name} is also in {other}", file.path));
            }
            let plain =
                line.starts_with("import { ") && line.contains(" } from '.") && line.ends_with(".js';");
            let renamed = line.contains(" as ");
            if (line.starts_with("import") && (!plain || renamed)) || line.contains("import(") {
                complaints.push(format!("{}:{at}: import {{ a }} from './x.js'", file.path));
            }
            if line.starts_with("export default") || line.starts_with("export {") {
                complaints.push(format!("{}:{at}: export function, const or class", file.path));
            }
        }
    }
    complaints
}

/// Returns what a module imports, as paths from the package's root.
fn imports(file: &Source) -> BTreeSet<String> {
    let folder = Path::new(&file.path).parent().expect("a folder");
    let lines = file.text.lines().filter(|line| line.starts_with("import "));
    lines
        .filter_map(|line| line.split('\'').nth(1))
        .map(|target| {
            let (folder, name) = match target.strip_prefix("../") {
                Some(name) => (folder.parent().expect("a folder above"), name),
                None => (folder, target.trim_start_matches("./")),
            };
            folder.join(name).to_string_lossy().replace('\\', "/")
        })
        .collect()
}

/// Takes away what imports nothing that is left; what remains is a circle, or imports what does not exist.
fn circular(files: &[Source]) -> Vec<String> {
    let mut left: BTreeMap<String, BTreeSet<String>> =
        modules(files).map(|file| (file.path.clone(), imports(file))).collect();
    loop {
        let free: Vec<String> =
            left.iter().filter(|(_, needs)| needs.is_empty()).map(|(path, _)| path.clone()).collect();
        if free.is_empty() {
            return left
                .into_keys()
                .map(|path| format!("{path}: its imports cannot be put in order"))
                .collect();
        }
        for path in free {
            left.remove(&path);
            for needs in left.values_mut() {
                needs.remove(&path);
            }
        }
    }
}

#[track_caller]
fn assert_page(check: fn(&[Source]) -> Vec<String>) {
    assert_eq!(check(&page()), Vec::<String>::new());
}

#[test]
fn the_page_makes_no_markup_from_text() {
    assert_page(forbidden);
    assert_complains(forbidden, "assets/ui/x.js", "a.innerHTML = b;", "assets/ui/x.js:1: innerHTML");
    assert_complains(forbidden, "assets/ui/x.js", "localStorage.a", "assets/ui/x.js:1: localStorage");
    assert_content(forbidden, "assets/ui/door.js", "localStorage.a");
    assert_content(forbidden, "assets/ui/icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"/>");
}

#[test]
fn modules_and_functions_of_the_page_are_short() {
    assert_page(too_long);
    let long = format!("function a() {{\n{}}}\n", "  b();\n".repeat(59));
    assert_complains(too_long, "assets/ui/x.js", &long, "assets/ui/x.js:1: a function of 61 lines");
}

#[test]
fn modules_of_the_page_can_be_joined() {
    assert_page(unlinkable);
    assert_complains(
        unlinkable,
        "assets/ui/x.js",
        "const a = 1;\nfunction a() {",
        "assets/ui/x.js:2: a is also in assets/ui/x.js",
    );
    assert_complains(
        unlinkable,
        "assets/ui/x.js",
        "import { a as b } from './y.js';",
        "assets/ui/x.js:1: import { a } from './x.js'",
    );
    assert_page(circular);
    let own = "import { a } from './x.js';";
    assert_complains(circular, "assets/ui/x.js", own, "assets/ui/x.js: its imports cannot be put in order");
}

#[test]
fn the_page_is_small() {
    let files = page();
    let sample = |file: &&Source| file.path.ends_with("sample.json");
    let bytes: usize = files.iter().filter(|file| !sample(file)).map(|file| file.text.len()).sum();
    assert!(bytes <= MAX_PAGE_BYTES, "a first visit loads {bytes} bytes");
    let sample = files.iter().find(sample).expect("the sample");
    assert!(sample.text.len() <= MAX_SAMPLE_BYTES, "the sample has {} bytes", sample.text.len());
}
