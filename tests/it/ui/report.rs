//! The page in one file.

use std::fs;

use serde_json::{Value, json};

use crate::memory::scene::{import, line, play, remembered};
use crate::payload::prompt;
use crate::sandbox::Sandbox;

fn data(sandbox: &Sandbox, name: &str) -> Value {
    let html = fs::read_to_string(sandbox.path(name)).expect("a report");
    let start = html.find("id=\"data\">").expect("data") + "id=\"data\">".len();
    let end = start + html[start..].find("</script>").expect("its end");
    assert_eq!(html.matches("</script>").count(), 2, "one element of data, one script");
    assert!(!html.contains("http:") || !html.replace("http://www.w3.org/2000/svg", "").contains("http:"));
    serde_json::from_str(&html[start..end]).expect("JSON")
}

#[test]
fn a_report_has_the_answers_in_it() {
    let sandbox = remembered();
    play(&sandbox, vec![prompt("</script><script>alert(1)</script> <!--").session("hostile")]);
    let ran = sandbox.run(["report", "--html", "week.html"]);
    ran.code(0);
    assert!(ran.stdout.starts_with("week.html: 2 sessions, "), "{}", ran.stdout);
    assert!(ran.stdout.contains("Patterns find what looks like a secret: read it before you send it."));
    let report = data(&sandbox, "week.html");
    let answers = report["answers"].as_object().expect("answers");
    for question in [
        "meta",
        "overview",
        "density",
        "lanes",
        "sessions",
        "feed",
        "walls",
        "files",
        "rules",
        "told",
        "notes",
        "plan",
        "health",
        "session/session-1",
        "session/hostile",
    ] {
        assert!(answers.contains_key(question), "{question}");
    }
    assert_eq!(answers["overview"]["sessions"], 2);
    let home = sandbox.beside("home").to_str().expect("UTF-8").to_owned();
    assert!(!report.to_string().contains(&home), "the home folder is hidden");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(sandbox.path("week.html")).expect("a report").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn a_plain_report_has_no_prompts_and_outputs() {
    let sandbox = remembered();
    sandbox.run(["report", "--html", "plain.html", "--plain"]).code(0);
    let report = data(&sandbox, "plain.html").to_string();
    assert!(!report.contains("make the linker error go away") && !report.contains("cannot find -lssl"));
}

#[test]
fn a_file_is_replaced_only_when_asked_and_links_are_not_followed() {
    let sandbox = remembered();
    sandbox.put("there.html", "mine");
    let refused = sandbox.run(["report", "--html", "there.html"]);
    assert_eq!(refused.code, Some(1));
    assert!(
        refused.stderr.contains("already exists") && refused.stderr.contains("--force"),
        "{}",
        refused.stderr
    );
    assert_eq!(fs::read_to_string(sandbox.path("there.html")).expect("the file"), "mine");
    sandbox.run(["report", "--html", "there.html", "--force"]).code(0);
    #[cfg(unix)]
    {
        let target = sandbox.beside("elsewhere/target.html");
        fs::write(&target, "theirs").expect("a file");
        std::os::unix::fs::symlink(&target, sandbox.path("link.html")).expect("a link");
        assert_eq!(sandbox.run(["report", "--html", "link.html", "--force"]).code, Some(1));
        assert_eq!(fs::read_to_string(&target).expect("the file"), "theirs");
    }
    assert_eq!(sandbox.run(["report", "--html", "x.html", "--since", "nonsense"]).code, Some(2));
    assert_eq!(sandbox.run(["report"]).code, Some(2));
}

#[test]
fn a_report_has_bounds_and_says_what_was_left_out() {
    let sandbox = Sandbox::new();
    let rows: Vec<String> = (0..230)
        .flat_map(|session| {
            (0..12).map(move |n| {
                let text = format!("echo {session} {n} {}", "long output ".repeat(40));
                line(&text, json!({ "session_id": format!("many-{session:03}"), "timestamp": 1_700_000_000 + session * 100 + n }))
            })
        })
        .collect();
    import(&sandbox, &rows);
    let ran = sandbox.run(["report", "--html", "large.html", "--all", "--since", "9999d"]);
    ran.code(0);
    assert!(ran.stdout.starts_with("large.html: 200 sessions, "), "{}", ran.stdout);
    let report = data(&sandbox, "large.html");
    let left_out = report["info"]["left_out"].to_string();
    assert!(left_out.contains("session"), "{left_out}");
    let answers = report["answers"].as_object().expect("answers");
    let stories = answers.iter().filter(|(name, _)| name.starts_with("session/"));
    let observations: usize = stories
        .clone()
        .flat_map(|(_, story)| story["turns"].as_array().expect("turns"))
        .map(|turn| turn["items"].as_array().map_or(0, Vec::len))
        .sum();
    assert!(stories.count() <= 200 && observations <= 2_000, "{observations} observations with text");
    assert!(fs::metadata(sandbox.path("large.html")).expect("a report").len() <= 5 << 20);
}
