//! `nudge team` for admins, with the built program.

use serde_json::{Value, json};

use super::cluster::{self, Database};
use crate::sandbox::{Ran, Sandbox};

/// An admin at their machine, with a database and no team in it yet.
fn admin() -> Option<(Sandbox, Database)> {
    let database = cluster::database()?;
    let url = database.url("postgres");
    Some((Sandbox::new().env("NUDGE_TEAM_URL", &url), database))
}

fn json_of(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", ran.stdout, ran.stderr))
}

/// Returns a name whose login no other test has.
fn unique(name: &str, database: &Database) -> String {
    format!("{name}-{}-{}", std::process::id(), database.name.trim_start_matches("test_"))
}

#[test]
fn a_team_is_made_once_and_lets_members_in() {
    let Some((sandbox, database)) = admin() else { return };
    let url = database.url("postgres");
    let checked = sandbox.run(["team", "init", &url, "--check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.stderr);
    assert!(checked.stdout.contains("every statement works; nothing was changed"), "{}", checked.stdout);
    let none = sandbox.run(["team", "members"]);
    assert_eq!(none.code, Some(1));
    assert!(none.stderr.contains("hint: `nudge team init URL` makes one"), "{}", none.stderr);

    let made = sandbox.run(["team", "init", &url, "--allow", "github.com/acme/*", "--json"]);
    assert_eq!(json_of(&made)["made"], true);
    // The cluster of the tests does not sync its files.
    let warnings = json_of(&made)["warnings"].to_string();
    assert!(warnings.contains("`fsync` is off"), "{warnings}");
    assert_eq!(database.psql("SELECT allowed FROM nudge.server"), "{github.com/acme/%}");
    let again = sandbox.run(["team", "init", &url]);
    assert_eq!(again.code, Some(1));
    assert!(again.stderr.contains("this database has a team already"), "{}", again.stderr);

    let (alice, robot) = (unique("alice", &database), unique("robot", &database));
    let granted = json_of(&sandbox.run(["team", "grant", &alice, "--json"]));
    let login = format!("nudge_{alice}");
    assert_eq!(granted["login"], login.as_str());
    assert_eq!(granted["password"].as_str().unwrap().len(), 32);
    assert!(granted["url"].as_str().unwrap().starts_with(&format!("postgres://{login}@/")), "{granted}");
    let stored = database.psql(&format!("SELECT rolpassword FROM pg_authid WHERE rolname = '{login}'"));
    assert!(stored.starts_with("SCRAM-SHA-256$"), "{stored}");
    let limits = database.psql(&format!("SELECT rolconfig FROM pg_roles WHERE rolname = '{login}'"));
    assert!(limits.contains("statement_timeout=10s") && limits.contains("lock_timeout=5s"), "{limits}");
    // A level changes without a new login or password.
    let changed = json_of(&sandbox.run(["team", "grant", &alice, "--level", "reader", "--json"]));
    assert_eq!((&changed["login"], changed.get("password")), (&json!(login), None));
    // A role that exists is not taken over by its name, but may be let in.
    database.psql(&format!("CREATE ROLE \"nudge_{robot}\" LOGIN"));
    let exists = sandbox.run(["team", "grant", &robot, "--ci"]);
    assert_eq!(exists.code, Some(1));
    assert!(exists.stderr.contains(&format!("hint: `--login nudge_{robot}`")), "{}", exists.stderr);
    let let_in = sandbox.run(["team", "grant", &robot, "--ci", "--login", &format!("nudge_{robot}")]);
    assert_eq!(let_in.code, Some(0), "{}", let_in.stderr);
    assert!(!let_in.stdout.contains("PGPASSWORD"), "{}", let_in.stdout);

    let members = json_of(&sandbox.run(["team", "members", "--json"]));
    let shown: Vec<(String, String, bool)> = members["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| {
            let text = |name: &str| member[name].as_str().unwrap().to_owned();
            (text("name"), text("level"), member["is_ci"].as_bool().unwrap())
        })
        .collect();
    let owned = |name: &str, level: &str, is_ci: bool| (name.to_owned(), level.to_owned(), is_ci);
    assert_eq!(
        shown,
        [owned(&alice, "reader", false), owned("postgres", "admin", false), owned(&robot, "member", true)]
    );
    // Members see no logins.
    let seen = json_of(&sandbox.run(["team", "members", "--json", "--url", &database.url(&login)]));
    assert!(seen["items"][0]["login"].is_null(), "{seen}");

    let removed = sandbox.run(["team", "remove", &alice]);
    assert_eq!(removed.code, Some(0), "{}", removed.stderr);
    let gone = sandbox.run(["team", "members", "--url", &database.url(&login)]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.stderr.contains("no longer a member"), "{}", gone.stderr);
    assert_eq!(json_of(&sandbox.run(["team", "upgrade", "--json"])), json!({"from": 1, "to": 1}));
    let purge = sandbox.run(["team", "remove", &robot, "--purge"]);
    assert_eq!(purge.code, Some(1), "without a terminal, a purge needs --yes");
    assert_eq!(json_of(&sandbox.run(["team", "remove", &robot, "--purge", "--yes", "--json"]))["rows"], 0);
}

#[test]
fn projects_are_closed_opened_given_and_renamed() {
    let Some((sandbox, database)) = admin() else { return };
    sandbox.run(["team", "init", &database.url("postgres"), "--closed"]).code(0);
    let bob = unique("bob", &database);
    sandbox.run(["team", "grant", &bob]).code(0);
    sandbox.run(["team", "projects", "--allow", "github.com/acme_x/*"]).code(0);
    assert_eq!(database.psql("SELECT allowed FROM nudge.server"), r#"{"github.com/acme\\_x/%"}"#);
    sandbox.run(["team", "projects", "--forbid", "github.com/acme_x/*"]).code(0);
    sandbox.run(["team", "projects", "--allow", "github.com/acme/*"]).code(0);
    assert_eq!(database.psql("SELECT allowed FROM nudge.server"), "{github.com/acme/%}");
    let shop = "github.com/acme/shop";
    let missing = sandbox.run(["team", "projects", "--open", shop]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.stderr.contains("no such project"), "{}", missing.stderr);
    database.psql("SELECT nudge.hello_v1(gen_random_uuid(), '{github.com/acme/shop}')");
    let listed = |extra: &[&str]| {
        let args = [&["team", "projects", "--json"], extra].concat();
        let ran = sandbox.command(env!("CARGO_BIN_EXE_nudge")).args(&args).output().unwrap();
        serde_json::from_slice::<Value>(&ran.stdout).unwrap()["items"][0].clone()
    };
    assert_eq!(
        listed(&[]),
        json!({"key": shop, "open": false, "may_see": true, "aliases": [], "members": ["postgres"]})
    );
    assert_eq!(listed(&["--give", shop, &bob])["members"], json!([bob, "postgres"]));
    assert_eq!(listed(&["--take", shop, &bob])["members"], json!(["postgres"]));
    assert_eq!(listed(&["--open", shop])["open"], true);
    assert_eq!(listed(&["--close", shop])["open"], false);
    let renamed = listed(&["--alias", shop, "github.com/acme/store"]);
    assert_eq!((&renamed["key"], &renamed["aliases"]), (&json!("github.com/acme/store"), &json!([shop])));
    let two = sandbox.run(["team", "projects", "--open", shop, "--close", shop]);
    assert_eq!(two.code, Some(2), "{}", two.stderr);
}

#[test]
fn what_cannot_work_says_what_to_do() {
    let Some((sandbox, database)) = admin() else { return };
    let fails = |args: &[&str], code: i32, said: &str| {
        let output = sandbox.command(env!("CARGO_BIN_EXE_nudge")).args(args).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {stderr}");
        assert!(stderr.contains(said) && stderr.contains("hint: "), "{args:?}: {stderr}");
    };
    fails(&["team", "init", "mysql://a@b/c"], 1, "does not begin with `postgres://`");
    fails(&["team", "init", "postgres://a@db.example.com/n?sslmode=disable"], 1, "would travel in the clear");
    fails(&["team", "members", "--url", "postgres://a@/n?host=/nonexistent"], 75, "nothing is lost");
    fails(&["team", "members", "--url", "postgres://a@127.0.0.1:1/n"], 75, "127.0.0.1:1 cannot be reached");
    fails(&["team", "upgrade"], 1, "this database has no team");
    // A login that may create nothing.
    let login = database.login("weak");
    fails(&["team", "init", &database.url(&login)], 1, "or the person who runs the database");
    assert_eq!(database.psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'nudge'"), "0");
    sandbox.run(["team", "init", &database.url("postgres")]).code(0);
    fails(&["team", "members", "--url", &database.url(&login)], 1, "permission denied");
    fails(&["team", "grant", "two words"], 1, "is not a name for a member");
    fails(&["team", "grant", "x", "--login", "no_such_role_here"], 1, "does not exist");
    fails(&["team", "remove", "nobody"], 1, "no such member");
    let nowhere = Sandbox::new().run(["team", "members"]);
    assert_eq!(nowhere.code, Some(1));
    assert!(nowhere.stderr.contains("no team is named"), "{}", nowhere.stderr);
}
