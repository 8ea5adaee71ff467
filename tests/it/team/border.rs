//! The bytes between client and server, with secrets, homes, addresses and trailers planted in every text.

use serde_json::json;

use super::proxy::Proxy;
use super::scene::{has, machine_at};
use crate::memory::scene::failed;
use crate::payload::{bash, edit, event, prompt, tool};
use crate::postgres::team::Team;
use crate::repository::git_in;

/// Secrets of many sorts; none of them is anybody's.
fn secrets() -> Vec<(&'static str, String)> {
    let letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";
    let hex = "9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c";
    vec![
        ("github", format!("ghp_{}", &letters[..36])),
        ("github fine", format!("github_pat_{}_{}", &letters[..22], letters.repeat(2)[..59].to_owned())),
        ("gitlab", format!("glpat-{}", &letters[..20])),
        ("anthropic", format!("sk-ant-api03-{}", letters.repeat(3)[..93].to_owned())),
        ("openai", format!("sk-proj-{}", letters.repeat(2)[..48].to_owned())),
        ("aws", "AKIAZ7QX4M2PLK9WVB3T".to_owned()),
        ("slack", format!("xoxb-123456789012-123456789012-{}", &letters[..24])),
        ("stripe", format!("sk_live_{}", &letters[..24])),
        ("npm", format!("npm_{}", &letters[..36])),
        ("pypi", format!("pypi-AgEIcHlwaS5vcmc{}", letters.repeat(2)[..60].to_owned())),
        ("google", format!("AIzaSy{}", &letters[..33])),
        ("sendgrid", format!("SG.{}.{}", &letters[..22], letters.repeat(2)[..43].to_owned())),
        ("twilio", format!("SK{}", &hex[..32])),
        ("digitalocean", format!("dop_v1_{}", hex.repeat(2)[..64].to_owned())),
        ("huggingface", format!("hf_{}", &letters[..34])),
        ("databricks", format!("dapi{}", &hex[..32])),
        ("shopify", format!("shpat_{}", &hex[..32])),
        ("vault", format!("hvs.{}", letters.repeat(3)[..90].to_owned())),
        ("docker", format!("dckr_pat_{}", &letters[..27])),
        ("telegram", format!("123456789:AA{}", &letters[..33])),
        (
            "jwt",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI5ODc2NTQzMjEwIiwibmFtZSI6IkFkYSJ9.\
             Qx7vJ2kL9mN4pR8sT1uW3yZ5aB6cD0eF2gH4iJ6kL8m"
                .to_owned(),
        ),
        ("password", "Tr0ub4dor-and-3-horses".to_owned()),
        ("url password", "s3cr3t-h0rse-staple".to_owned()),
    ]
}

#[test]
fn nothing_secret_and_nothing_of_another_project_leaves() {
    let Some(team) = Team::new() else { return };
    let proxy = Proxy::start(team.cluster.folder.join(".s.PGSQL.5432"));
    proxy.keep();
    let login = team.member("alice", "member").login;
    let alice = machine_at(&proxy.url(&login, &team.name), "alice").join("work");
    let home = alice.sandbox.beside("home").display().to_string();
    let root = alice.sandbox.path("").display().to_string().trim_end_matches('/').to_owned();
    let secrets = secrets();
    assert_eq!(secrets.len(), 23);
    let mut number = 0;
    let mut send = |payload: crate::payload::Payload| {
        number += 1;
        alice.sandbox.hook("claude-code", payload.session("s").with("tool_use_id", format!("t{number}")));
    };
    for (sort, secret) in &secrets {
        let planted = match *sort {
            "password" => format!("password={secret}"),
            "url password" => format!("curl https://ada:{secret}@example.org/x"),
            _ => format!("TOKEN={secret}"),
        };
        let people = format!("{home}/notes {root}/src bob.miller@corp.example /home/bobby/x /Users/bobby/y");
        send(failed(
            &format!("{planted} make {people}"),
            &format!("Exit code 2\nerror: {planted} in {people}"),
        ));
        send(edit("Makefile", "all:", &format!("# {planted} {people}\n")).after());
        send(
            bash(&format!(
                "make kept-{number_word}; echo {planted} {people}",
                number_word = sort.replace(' ', "-")
            ))
            .after(),
        );
    }
    let message = "git commit -m 'fix it\n\nCo-Authored-By: Bobby Miller <bobby@corp.example>\nSigned-off-by: Bobby Miller'";
    send(bash(message).after());
    send(prompt("the words of a prompt"));
    send(tool("Grep", json!({ "pattern": "words of a search" })).after());
    send(event("Stop").with("last_assistant_message", "the words of an agent"));
    let key = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEAx7vJ2kL9mN4pR8sT1uW3yZ5aB6cD0eF2gH4iJ6kL8mQx7vJ2k\n-----END RSA PRIVATE KEY-----";
    send(bash(&format!("cat <<END\n{key}\nEND")).after());
    // A project that was not chosen.
    let diary = alice.sandbox.beside("diary");
    std::fs::create_dir(&diary).unwrap();
    git_in(&alice.sandbox, &diary, &["init", "-q"]);
    git_in(&alice.sandbox, &diary, &["remote", "add", "origin", "https://github.com/alice/diary"]);
    let payload = bash("make words-of-the-diary").after().session("d").with("tool_use_id", "d1").0;
    let mut payload = payload;
    payload["cwd"] = diary.to_str().unwrap().into();
    alice.sandbox.hook_bytes("claude-code", payload.to_string().as_bytes());
    let done = alice.synced();
    assert!(done["sent"].as_u64().unwrap() >= 60, "{done}");
    let sent = proxy.sent();
    assert!(has(&sent, "make kept-github"), "the bytes are those of the exchange");
    for (sort, secret) in &secrets {
        assert!(!has(&sent, secret), "{sort}");
    }
    for words in [
        home.as_str(),
        &root,
        "bob.miller@",
        "/home/bobby",
        "/Users/bobby",
        "Bobby Miller",
        "bobby@corp",
        "words of a prompt",
        "words of a search",
        "words of an agent",
        "MIIEpAIBAAKCAQEAx7",
        "PRIVATE KEY",
        "words-of-the-diary",
        "alice/diary",
        "tool_use_id",
    ] {
        assert!(!has(&sent, words), "{words}");
    }
    let host = std::fs::read_to_string("/etc/hostname").unwrap_or_default();
    let host = host.trim();
    assert!(host.len() < 4 || !has(&sent, host), "the name of the host");
    // What a dry run shows of the next rows is what leaves.
    alice.tell(&["make shown-before".to_owned()]);
    let shown = alice.sandbox.run(["sync", "--dry-run", "--json"]).code(0).json();
    assert_eq!(shown["total"], 1, "{shown}");
    let record = shown["items"][0]["record"].clone();
    alice.synced();
    let text = serde_json::to_string(&json!([record])).unwrap();
    let text = &text[text.find("make shown-before").unwrap()..][..17];
    assert!(has(&proxy.sent(), text));
}
