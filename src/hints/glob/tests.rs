//! The table agrees with micromatch 4 under `dot: true`.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(glob: &str, matching: &[&str], others: &[&str]) {
    let compiled = Glob::new(&normalize_glob(glob).unwrap());
    for text in matching {
        assert!(compiled.matches(text, GlobCase::Sensitive), "{glob} on {text}");
    }
    for text in others {
        assert!(!compiled.matches(text, GlobCase::Sensitive), "{glob} not on {text}");
    }
}

#[track_caller]
fn refuses(glob: &str, detail: &str) {
    assert_eq!(normalize_glob(glob), Err(HintFlaw::scope(detail)), "{glob}");
}

#[test]
fn globs_mean_what_micromatch_means() {
    check(
        "**/http-proxy*",
        &["/work/http-proxy", "/http-proxy", "http-proxy", "/work/a/http-proxy-2", "/w/.x/http-proxy"],
        &["/work/http-proxy/src", "/work/my-http-proxy", "/work/http"],
    );
    check("**/http-proxy*/**", &["/work/http-proxy/src", "/work/http-proxy2/src/a/b"], &["/work/http"]);
    check("/work/*", &["/work/a", "/work/.a"], &["/work", "/work/a/b", "/elsewhere/a"]);
    check("/work/**", &["/work", "/work/a", "/work/a/b", "/work/.git/x"], &["/works", "/a/work"]);
    check("/work/**/src", &["/work/src", "/work/a/src", "/work/a/b/src"], &["/work/src/a", "/worksrc"]);
    check("**", &["/", "/work", "/work/.a/b", "a"], &[]);
    check("**/*", &["/work", "/work/.a/b", "a"], &[]);
    check("*", &["a", ".a"], &["/a", "a/b"]);
    check("/work", &["/work"], &["/work/a", "/workx", "work"]);
    check("/work/?", &["/work/a", "/work/."], &["/work/ab", "/work/", "/work//"]);
    check("/work/[ab]*", &["/work/a", "/work/bcd"], &["/work/c", "/work/A"]);
    check("/work/[!ab]*", &["/work/c"], &["/work/a", "/work/b1"]);
    check("/work/[a-c]x", &["/work/bx"], &["/work/dx", "/work/-x"]);
    check("/work/{api,web}", &["/work/api", "/work/web"], &["/work/cli", "/work/apiweb"]);
    check("/work/{api,web}/**", &["/work/api/src", "/work/web/a/b"], &["/work/cli/src"]);
    check("/work/{a*,b}/x", &["/work/abc/x", "/work/b/x"], &["/work/c/x", "/work/a/b/x"]);
    check("/work/a**", &["/work/a", "/work/abc"], &["/work/abc/d"]);
    check("/work/*.d/x", &["/work/conf.d/x", "/work/.d/x"], &["/work/d/x"]);
    check("C:/code/*", &["C:/code/a"], &["c:/code/a", "C:/code/a/b"]);
    check("/work/a..b", &["/work/a..b"], &["/work/a"]);
    check("/Über/*", &["/Über/straße"], &["/über/straße"]);
    check("/Program Files (x86)/*", &["/Program Files (x86)/a"], &["/Program Files x86/a"]);
}

#[test]
fn two_stars_at_the_end_include_the_folder_only_after_a_literal() {
    check("**/api/**", &["/work/api", "/work/api/src", "api"], &["/work/apis"]);
    check("/work/[ab]/**", &["/work/a/x"], &["/work/a"]);
    check("/work/a*/**", &["/work/ab/x"], &["/work/ab"]);
}

#[test]
fn braces_mean_what_their_alternatives_mean() {
    check("{/a,/b}/**", &["/a", "/b", "/a/x/y"], &["/c", "/ab", "/"]);
    check("/work/{api,web}/**", &["/work/api", "/work/web", "/work/web/x"], &["/work", "/work/cli"]);
    check("/work/{api,w*}/**", &["/work/api", "/work/web/x"], &["/work/web"]);
    check(
        "/work/{api,{web,{cli,lib}}}/**",
        &["/work/api", "/work/web", "/work/lib", "/work/cli/x"],
        &["/work"],
    );
    check("/work/{api/**,web}", &["/work/api", "/work/api/x", "/work/web"], &["/work/web/x"]);
    check("/work/api{/**,-2}", &["/work/api", "/work/api/x", "/work/api-2"], &["/work/api-2/x"]);
    check("/work/{api,}", &["/work/api", "/work"], &["/work/cli"]);
    check("/work/{api,}/src", &["/work/api/src", "/work/src"], &["/work/api"]);
    check("/work/{[{],[},]x}/**", &["/work/{/a", "/work/,x", "/work/}x/a"], &["/work/{", "/work/x"]);
    check("**/{api,web}/**", &["/work/api", "web", "/x/web/y"], &["/work/apis"]);
}

#[test]
fn globs_are_normalized_like_folders() {
    let check = |glob: &str, normal: &str| assert_eq!(normalize_glob(glob).as_deref(), Ok(normal));
    check("C:\\code\\**", "C:/code/**");
    check("./src/**", "src/**");
    check("/work//a/./b/", "/work/a/b");
    check(" /work ", "/work");
    check("\\\\server\\share\\*", "/server/share/*");
}

#[test]
fn on_windows_case_is_ignored() {
    let check = |glob: &str, text: &str, sensitive: bool| {
        let glob = Glob::new(glob);
        assert!(glob.matches(text, GlobCase::Insensitive), "{text}");
        assert_eq!(glob.matches(text, GlobCase::Sensitive), sensitive, "{text}");
    };
    check("C:/Code/**/HTTP-proxy", "c:/code/x/http-Proxy", false);
    check("C:/Code/**", "c:/code", false);
    check("C:/Code", "c:/CODE", false);
    check("**/ÜBER", "c:/über", false);
    check("C:/Code/*", "C:/Code/x", true);
}

#[test]
fn invalid_globs_and_parent_segments_are_refused() {
    let parent = "a glob of `scope.cwd_glob` must not contain `..`";
    refuses("/work/../etc", parent);
    refuses("..", parent);
    refuses("..\\x", parent);
    refuses("/work/**/..", parent);
    refuses("", "an entry of `scope.cwd_glob` is empty");
    refuses("{}", "an entry of `scope.cwd_glob` is empty");
    refuses("./", "an entry of `scope.cwd_glob` is empty");
    refuses("/work/\u{7}", "an entry of `scope.cwd_glob` has control characters");
    refuses(
        "/work/[a",
        "an entry of `scope.cwd_glob` is not a valid glob: unclosed character class; missing ']'",
    );
    refuses("/work/.{.,a}/x", parent);
    let many = format!("/work/{}", "{a,b}".repeat(9));
    refuses(&many, "an entry of `scope.cwd_glob` has more than 256 alternatives");
    refuses(
        "/work/{a,b",
        "an entry of `scope.cwd_glob` is not a valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)",
    );
}

#[test]
fn unsupported_micromatch_syntax_is_refused_rather_than_taken_literally() {
    let ext = "an entry of `scope.cwd_glob` has an ext-glob like `@(a|b)`: write `{a,b}`";
    for glob in ["/work/@(a|b)", "/work/+(a)", "/work/?(a)b", "/work/*(a)", "/work/!(a)"] {
        refuses(glob, ext);
    }
    refuses("/work/{1..3}", "an entry of `scope.cwd_glob` has a range like `{1..3}`: write `{1,2,3}`");
    refuses("!/work", "an entry of `scope.cwd_glob` begins with `!`: negated globs are not supported");
}

#[test]
fn branches_are_globs_too() {
    let check = |glob: &str, branch: &str, expect: bool| {
        check_glob("branch", glob).unwrap();
        assert_eq!(Glob::new(glob).matches(branch, GlobCase::Sensitive), expect, "{glob} on {branch}");
    };
    check("hotfix/*", "hotfix/a", true);
    check("hotfix/*", "hotfix/a/b", false);
    check("hotfix/**", "hotfix/a/b", true);
    check("hotfix/**", "hotfix", true);
    check("release-?", "release-1", true);
    check("dev", "develop", false);
}

/// The result of `globset`, with our rule for `/**` at the end.
fn by_globset(glob: &str, text: &str) -> bool {
    let folder = glob.strip_suffix("/**").filter(|folder| !folder.is_empty() && !folder.ends_with(SPECIAL));
    let decides = |glob: &str| build(glob).unwrap().compile_matcher().is_match(text);
    decides(glob) || folder.is_some_and(decides)
}

/// A generated glob, in pieces.
#[derive(Debug, Clone)]
enum GlobPiece {
    Plain(String),
    Braces(Vec<Vec<GlobPiece>>),
}

fn pieces() -> impl Strategy<Value = Vec<GlobPiece>> {
    let plain = "(a|b|/|/\\*\\*|\\*|/\\*\\*/|\\[ab\\]|\\?){1,3}".prop_map(GlobPiece::Plain);
    let piece = plain.prop_recursive(3, 12, 3, |inner| {
        let alternative = prop::collection::vec(inner, 0..3);
        prop::collection::vec(alternative, 1..4).prop_map(GlobPiece::Braces)
    });
    prop::collection::vec(piece, 1..4)
}

fn written(pieces: &[GlobPiece]) -> String {
    let one = |piece: &GlobPiece| match piece {
        GlobPiece::Plain(text) => text.clone(),
        GlobPiece::Braces(alternatives) => {
            let written: Vec<String> = alternatives.iter().map(|pieces| written(pieces)).collect();
            format!("{{{}}}", written.join(","))
        }
    };
    pieces.iter().map(one).collect()
}

/// All expansions of the pieces.
fn written_out(pieces: &[GlobPiece]) -> Vec<String> {
    let mut all = vec![String::new()];
    for piece in pieces {
        let choices = match piece {
            GlobPiece::Plain(text) => vec![text.clone()],
            GlobPiece::Braces(alternatives) => {
                alternatives.iter().flat_map(|pieces| written_out(pieces)).collect()
            }
        };
        all = all.iter().flat_map(|start| choices.iter().map(move |end| format!("{start}{end}"))).collect();
    }
    all
}

/// Matches through `Glob`, including the check of the literal prefix.
fn is_sensitive_match(glob: &str, text: &str) -> bool {
    Glob::new(glob).matches(text, GlobCase::Sensitive)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn matching_by_hand_agrees_with_globset(
        glob in "/?((\\*\\*|[ab*?]{0,4}|[aé.*]{1,3})/){0,4}(\\*\\*|[ab*?]{0,3})",
        texts in prop::collection::vec("/?([abé.]{0,3}/){0,4}[ab]{0,3}", 8),
    ) {
        for text in &texts {
            prop_assert_eq!(is_sensitive_match(&glob, text), by_globset(&glob, text), "{} on {}", glob, text);
        }
    }

    #[test]
    fn matching_classes_agrees_with_globset(
        glob in "/?((\\*\\*|[ab*]{1,3}|a\\[ab\\])/){0,3}(\\*\\*|\\[!a\\]b)",
        texts in prop::collection::vec("/?([ab]{1,2}/){0,3}[ab]{0,2}", 4),
    ) {
        for text in &texts {
            prop_assert_eq!(is_sensitive_match(&glob, text), by_globset(&glob, text), "{} on {}", glob, text);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn braces_agree_with_their_expansions(
        pieces in pieces(),
        texts in prop::collection::vec("/?([ab]{1,2}/){0,3}[ab]{0,2}", 8),
    ) {
        let glob = written(&pieces);
        // Normalizing removes a slash at the end of the whole glob.
        prop_assume!(normalize_glob(&glob).is_ok_and(|normal| normal == glob));
        let globs: Vec<String> = written_out(&pieces).iter().filter_map(|glob| normalize_glob(glob).ok()).collect();
        for text in &texts {
            let expected = globs.iter().any(|glob| by_globset(glob, text));
            prop_assert_eq!(is_sensitive_match(&glob, text), expected, "{} on {}", glob, text);
        }
    }
}

#[test]
fn a_hostile_glob_costs_no_more_than_its_length_times_that_of_the_text() {
    let glob = Glob::new(&"**/*a*a*a*b/".repeat(80).replace("//", "/"));
    let glob = Glob::new(glob.text().trim_end_matches('/'));
    let text = "aaaaaaaaaaaaaaaaaaaaaaaa/".repeat(160);
    assert!(!glob.matches(&text, GlobCase::Sensitive));
    assert!(!Glob::new(&"*a".repeat(500)).matches(&"a".repeat(499), GlobCase::Sensitive));
}
