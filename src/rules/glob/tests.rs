//! Tests of this module.

use proptest::prelude::*;

use super::*;

fn inside(path: &str) -> Target {
    Target { absolute: format!("/home/u/proj/{path}"), relative: Some(path.into()) }
}

fn outside(path: &str) -> Target {
    Target { absolute: path.into(), relative: None }
}

#[track_caller]
fn check(globs: &[&str], path: &str, expect: bool) {
    let filter = FileFilter::new(globs.iter().copied()).unwrap();
    assert_eq!(filter.accepts(&inside(path)), expect, "{globs:?} on {path}");
}

#[track_caller]
fn check_outside(globs: &[&str], path: &str, expect: bool) {
    let filter = FileFilter::new(globs.iter().copied()).unwrap();
    assert_eq!(filter.accepts(&outside(path)), expect, "{globs:?} on {path}");
}

#[test]
fn a_star_stays_in_its_folder_and_two_stars_go_down() {
    check(&["src/*.ts"], "src/a.ts", true);
    check(&["src/*.ts"], "src/x/a.ts", false);
    check(&["src/**/*.ts"], "src/x/y/a.ts", true);
    check(&["src/**/*.ts"], "src/a.ts", true);
    check(&["src/**"], "src/x/a.ts", true);
    check(&["src/**"], "lib/src/a.ts", false);
    check(&["*.ts"], "a.ts", true);
    check(&["*.ts"], "src/a.ts", false);
}

#[test]
fn two_stars_in_front_mean_any_folder_or_none() {
    check(&["**/*.ts"], "a.ts", true);
    check(&["**/*.ts"], "src/x/a.ts", true);
    check(&["**/*.ts"], "a.tsx", false);
    check(&["**/*.ts"], "a.ts/b", false);
    check(&["**/*_test.go"], "x/foo_test.go", true);
    check(&["**/*_test.go"], "_test.go", true);
    check(&["**/name"], "name", true);
    check(&["**/name"], "a/name", true);
    check(&["**/name"], "surname", false);
    check(&["**/*"], "a/b", true);
    check(&["**"], "a/b", true);
    check(&["**/test/**"], "src/test/a.rs", true);
    check(&["**/test/**"], "test/a.rs", true);
    check(&["**/test/**"], "latest/a.rs", false);
}

#[test]
fn braces_classes_and_question_marks() {
    check(&["**/*.{ts,tsx}"], "src/a.tsx", true);
    check(&["**/*.{ts,tsx}"], "src/a.js", false);
    check(&["src/{a,b}/*.rs"], "src/b/x.rs", true);
    check(&["a?.rs"], "ab.rs", true);
    check(&["a?.rs"], "a/.rs", false);
    check(&["[ab].rs"], "b.rs", true);
    check(&["[!ab].rs"], "b.rs", false);
    check(&["[!ab].rs"], "c.rs", true);
    check(&["a\\*.rs"], "a*.rs", true);
    check(&["a\\*.rs"], "ab.rs", false);
    check(&["a,b.rs"], "a,b.rs", true);
    check(&["ünï/*.rs"], "ünï/é.rs", true);
}

#[test]
fn an_exclamation_mark_excludes() {
    check(&["!**/test/**"], "src/a.rs", true);
    check(&["!**/test/**"], "src/test/a.rs", false);
    check(&["!*.md"], "docs/a.md", true);
    check(&["\\!important"], "!important", true);
    check(&["\\!important"], "important", false);
}

#[test]
fn in_a_list_the_last_match_wins() {
    check(&["**/*.ts", "!**/*.d.ts"], "a.ts", true);
    check(&["**/*.ts", "!**/*.d.ts"], "a.d.ts", false);
    check(&["**/*.ts", "!**/*.d.ts", "keep/**"], "keep/a.d.ts", true);
    check(&["!**/*.d.ts", "**/*.ts"], "a.d.ts", true);
    check(&["!a.rs", "!b.rs"], "b.rs", false);
    check(&["!a.rs", "!b.rs"], "c.rs", true);
    check(&["a.rs", "b.rs"], "b.rs", true);
    check(&["a.rs", "b.rs"], "c.rs", false);
}

#[test]
fn a_leading_dot_slash_is_ignored() {
    check(&["./src/*.ts"], "src/a.ts", true);
    check(&["!./src/*.ts"], "src/a.ts", false);
}

#[test]
fn absolute_globs_match_the_absolute_path() {
    check(&["/home/u/proj/src/*.rs"], "src/a.rs", true);
    check(&["/src/*.rs"], "src/a.rs", false);
    check_outside(&["/etc/**"], "/etc/x/hosts", true);
    check_outside(&["!/etc/**"], "/etc/x/hosts", false);
}

#[test]
fn outside_the_project_only_unanchored_globs_match() {
    check_outside(&["**/*.ts"], "/tmp/a.ts", true);
    check_outside(&["**/tmp/*"], "/tmp/a.ts", true);
    check_outside(&["src/*.ts"], "/src/a.ts", false);
    check_outside(&["*.ts"], "/a.ts", false);
    check_outside(&["tmp/**"], "/tmp/a.ts", false);
    check_outside(&["!src/**"], "/tmp/a.ts", true);
    check_outside(&["!**/*.ts"], "/tmp/a.ts", false);
}

#[test]
fn bad_globs_say_what_is_wrong() {
    let check = |glob: &str, expect: &str| {
        assert_eq!(FileFilter::new([glob]), Err(expect.to_owned()), "{glob}");
    };
    check("", "an empty glob matches nothing");
    check("!", "an empty glob matches nothing");
    check("./", "an empty glob matches nothing");
    check("[a", "unclosed character class; missing ']'");
    check("{a,b", "unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)");
    check("a}", "unopened alternate group; missing '{' (maybe escape '}' with '[}]'?)");
    check("[z-a]", "invalid range; 'z' > 'a'");
    check("a\\", "dangling '\\'");
}

#[test]
fn examples_are_paths_that_the_globs_match() {
    let check = |globs: &[&str], expect: &[&str]| {
        let filter = FileFilter::new(globs.iter().copied()).unwrap();
        assert_eq!(filter.examples().collect::<Vec<_>>(), expect);
    };
    check(&["**/*.ts"], &["example.ts", "example.txt"]);
    check(&["src/**/*.{ts,tsx}"], &["src/example.ts", "example.txt"]);
    check(&["{src,lib}/a?.rs"], &["src/ax.rs", "example.txt"]);
    check(&["!**/test/**"], &["example.txt"]);
    check(&["docs/**"], &["docs/example", "example.txt"]);
}

fn globset_says(glob: &str, path: &str) -> Option<bool> {
    let glob = globset::GlobBuilder::new(glob).literal_separator(true).backslash_escape(true).build().ok()?;
    Some(glob.compile_matcher().is_match(path))
}

fn joined(parts: impl Strategy<Value = &'static str>, max: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(parts, 1..max).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn every_shape_agrees_with_globset(
        front in proptest::sample::select(&["", "**/", "**/*", "src/", "*"][..]),
        rest in joined(prop_oneof![
            Just("a"), Just("b"), Just(".ts"), Just("/"), Just("*"), Just("**"), Just("/**/"), Just("?"),
            Just("[ab]"), Just("[!a]"), Just("{a,b}"), Just("\\*"), Just(","), Just("é"), Just("]"),
        ], 5),
        path in joined(prop_oneof![
            Just("a"), Just("b"), Just(".ts"), Just("/"), Just("src/"), Just("*"), Just(","), Just("é"), Just("]"),
        ], 6),
    ) {
        let glob = format!("{front}{rest}");
        // A leading slash matches the absolute path, which has a separate test.
        prop_assume!(!glob.starts_with('/'));
        let filter = FileFilter::new([glob.as_str()]);
        prop_assert_eq!(
            filter.ok().map(|filter| filter.accepts(&inside(&path))),
            globset_says(&glob, &path),
            "{} on {}", glob, path
        );
    }
}

#[test]
fn a_folder_of_the_project_is_not_around_a_drive_or_an_absolute_path() {
    let here = Target { absolute: "/work/p".into(), relative: Some(".".into()) };
    let filter = |glob: &str| FileFilter::new([glob]).expect("a glob");
    assert!(filter("src/gen/**").is_inside(&here));
    assert!(!filter("/etc/**").is_inside(&here));
    assert!(!filter("C:/Windows/**").is_inside(&here));
}

#[test]
fn the_quick_shapes_match_what_the_globs_match() {
    let globs = [
        "**",
        "**/*.ts",
        "**/.env.*",
        "**/a*",
        "src/**",
        "src/gen/**",
        "/etc/**",
        "**/gen/**",
        "**/.git/hooks/**",
        "//x/**",
        "/**",
        "**/**",
        "**/a/*",
        "src/*/**",
        "**/src/**",
        "a/**",
        "**/*",
    ];
    let parts = ["a", "a.ts", ".env.x", "src", "gen", "etc", ".git", "hooks", "ab"];
    let mut paths: Vec<String> = parts.iter().map(|part| (*part).to_owned()).collect();
    for one in parts {
        for two in parts {
            paths.push(format!("{one}/{two}"));
            paths.extend(parts.iter().map(|three| format!("{one}/{two}/{three}")));
        }
    }
    paths.extend(paths.clone().into_iter().map(|folder| folder + "/"));
    for glob in globs {
        let filter = FileFilter::new([glob]).expect("a glob");
        let whole = compile(glob).expect("a glob");
        for path in &paths {
            let absolute = format!("/{path}");
            let (text, relative) =
                if glob.starts_with('/') { (&absolute, None) } else { (path, Some(path.clone())) };
            let target = Target { absolute: absolute.clone(), relative };
            assert_eq!(filter.accepts(&target), whole.is_match(text), "{glob} {path}");
        }
    }
}

#[test]
fn the_text_that_a_glob_needs_is_in_every_path_that_it_matches() {
    let needs = |glob: &str, expect: &str| assert_eq!(needed_text(glob), expect, "{glob}");
    needs("**/.config/tool/settings.json*", ".config/tool/settings.json");
    needs("src/**/a.ts", "a.ts");
    needs("a?bc/*", "bc");
    needs("**", "");
    needs("{a,b}/c", "");
    check(&["**/.config/tool.json*"], ".config/tool.jsonc", true);
    check(&["**/.config/tool.json*"], "x/.config/tool.json", true);
    check(&["src/**/b"], "src/b", true);
    check(&["/a/**/b*"], "a/b", false);
}
