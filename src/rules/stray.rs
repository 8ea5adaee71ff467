//! Warns about globs that begin with `/` in a project's rules: they are absolute paths, but their authors usually mean
//! the project's root.

use std::path::Path;

use super::glob::FileFilter;
use super::schema::Rule;
use crate::model::Problem;

/// Top-level folders that a project may well have rules about.
const TOP_FOLDERS: [&str; 24] = [
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "media",
    "mnt",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
];

/// Returns a warning for each absolute glob that does not lead into the project.
pub(crate) fn strays(rules: &[Rule], root: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    // The user's own rule files have absolute paths, and their rules may be about any folder.
    for rule in rules.iter().filter(|rule| !Path::new(&rule.place.file).is_absolute()) {
        for glob in rule.file.iter().flat_map(FileFilter::absolute_globs).filter(|glob| is_stray(glob, root))
        {
            let place = &rule.place;
            let problem = Problem::warning(format!("`{glob}` is an absolute path"));
            let problem = problem.at(&place.file, place.line, place.column).of_rule(&rule.name);
            let meant = glob.trim_start_matches('/');
            problems.push(problem.hint(format!("write `{meant}`: globs are relative to the project's root")));
        }
    }
    problems
}

fn is_stray(glob: &str, root: &Path) -> bool {
    let top = glob.trim_start_matches('/').split('/').next().unwrap_or_default();
    let has_wildcard = top.contains(['*', '?', '[', '{']);
    !has_wildcard && !TOP_FOLDERS.contains(&top) && !Path::new(glob).starts_with(root)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::{MissingVersion, read};

    #[test]
    fn an_absolute_glob_is_reported_unless_it_leads_into_the_project() {
        let check = |file: &str, glob: &str, expect: &str| {
            let text = format!(
                "version: 1\nrules: [{{ name: r, on: {{ hook: PreToolUse, file: '{glob}' }}, action: continue, message: m }}]"
            );
            let problems = strays(&read(file, &text, MissingVersion::Warn).rules, Path::new("/work/app"));
            let shown: Vec<String> = problems
                .iter()
                .map(|one| format!("{one} ({})", one.hint.as_deref().unwrap_or_default()))
                .collect();
            assert_eq!(shown.join("\n"), expect, "{glob}");
        };
        let file = ".nudge.yaml";
        check(
            file,
            "/src/**",
            ".nudge.yaml:2:9: rule `r`: `/src/**` is an absolute path (write `src/**`: globs are relative to the project's root)",
        );
        check(
            file,
            "!/gen/**",
            ".nudge.yaml:2:9: rule `r`: `/gen/**` is an absolute path (write `gen/**`: globs are relative to the project's root)",
        );
        for fine in ["/work/app/src/**", "/etc/**", "src/**", "**/*.ts", "/**/*.ts"] {
            check(file, fine, "");
        }
        let users = if cfg!(windows) { "C:/Users/me/rules.yaml" } else { "/home/me/rules.yaml" };
        check(users, "/src/**", "");
    }
}
