//! Tests of this module.

use proptest::prelude::*;

use super::*;

#[test]
fn folders_are_normalized() {
    let check = |path: &str, normal: &str| assert_eq!(normal_cwd(path), normal, "{path}");
    check("/work/http-proxy/", "/work/http-proxy");
    check("/work//a/./b", "/work/a/b");
    check("/work/a/../b", "/work/b");
    check("/..", "/");
    check("/", "/");
    check("C:\\code\\http-proxy\\", "C:/code/http-proxy");
    check("\\\\server\\share\\x", "/server/share/x");
    check("a..b/c", "a..b/c");
}

#[test]
fn absolute_paths_of_every_system_are_normalized() {
    let check = |path: &str, normal: &str| assert_eq!(parse_absolute(path).as_deref(), Ok(normal), "{path}");
    check("/srv//web/./x/", "/srv/web/x");
    check("/", "/");
    check("/a\\b", "/a\\b");
    check("/a..b", "/a..b");
    check("C:\\code\\\\http-proxy\\", "C:\\code\\http-proxy");
    check("c:/code//x", "c:/code/x");
    check("C:\\a/b", "C:\\a\\b");
    check("C:\\", "C:\\");
    check("\\\\server\\share\\x\\", "\\\\server\\share\\x");
}

#[test]
fn relative_paths_and_parent_segments_are_refused() {
    let relative = HintFlaw::invalid(
        "`value.abs` must be an absolute path: `/…`, `C:\\…`, `C:/…` or `\\\\server\\share`",
    );
    for path in
        ["a/b", "./a", "~/a", "C:", "C:a", "\\a", "\\\\", "1:/a", "", "é:/a", "\\\\.\\pipe", "\\\\?\\C:\\a"]
    {
        assert_eq!(parse_absolute(path), Err(relative.clone()), "{path}");
    }
    let parent = HintFlaw::scope("`value.abs` must not contain `..`");
    for path in ["/a/../b", "/..", "C:\\a\\..\\b", "/a\\..\\b", "../a", "\\\\server\\..\\x"] {
        assert_eq!(parse_absolute(path), Err(parent.clone()), "{path}");
    }
    assert_eq!(
        parse_absolute("/a\nb"),
        Err(HintFlaw::invalid("`value.abs` must not contain control characters"))
    );
}

proptest! {
    #[test]
    fn normalizing_twice_changes_nothing(path in "[/\\\\a-c.:]{0,12}") {
        let cwd = normal_cwd(&path);
        prop_assert_eq!(normal_cwd(&cwd), cwd.as_str());
        if let Ok(normal) = parse_absolute(&path) {
            prop_assert_eq!(parse_absolute(&normal), Ok(normal.clone()));
        }
    }
}
