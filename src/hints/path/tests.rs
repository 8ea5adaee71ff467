//! Tests of this module.

use proptest::prelude::*;

use super::*;

#[test]
fn folders_come_into_one_form() {
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
fn absolute_paths_of_every_system_are_kept_in_normal_form() {
    let check = |path: &str, normal: &str| assert_eq!(absolute(path).as_deref(), Ok(normal), "{path}");
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
fn relative_paths_are_invalid_and_climbing_ones_a_risk() {
    let relative = HintFlaw::invalid(
        "`value.abs` must be an absolute path: `/…`, `C:\\…`, `C:/…` or `\\\\server\\share`",
    );
    for path in
        ["a/b", "./a", "~/a", "C:", "C:a", "\\a", "\\\\", "1:/a", "", "é:/a", "\\\\.\\pipe", "\\\\?\\C:\\a"]
    {
        assert_eq!(absolute(path), Err(relative.clone()), "{path}");
    }
    let climbs = HintFlaw::scope("`value.abs` must not climb with `..`");
    for path in ["/a/../b", "/..", "C:\\a\\..\\b", "/a\\..\\b", "../a", "\\\\server\\..\\x"] {
        assert_eq!(absolute(path), Err(climbs.clone()), "{path}");
    }
    assert_eq!(absolute("/a\nb"), Err(HintFlaw::invalid("`value.abs` must not hold control characters")));
}

proptest! {
    #[test]
    fn normal_forms_stay_as_they_are(path in "[/\\\\a-c.:]{0,12}") {
        let cwd = normal_cwd(&path);
        prop_assert_eq!(normal_cwd(&cwd), cwd.as_str());
        if let Ok(normal) = absolute(&path) {
            prop_assert_eq!(absolute(&normal), Ok(normal.clone()));
        }
    }
}
