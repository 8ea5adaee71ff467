//! The runtime folder: which one is used, and what is left without a safe one.

#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what cannot be read is a failed test")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};

use serde_json::json;

use crate::mcp_client::Client;
use crate::sandbox::Sandbox;
use crate::server::strangers::{self, OTHER_UID};
use crate::servers::{Server, rpc};

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_nudge_folder_that_is_open_to_others_is_closed() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.runtime_folder()).unwrap();
    fs::set_permissions(sandbox.runtime_folder(), fs::Permissions::from_mode(0o755)).unwrap();
    let _server = Server::start(&sandbox, &[]);
    assert_eq!(mode(&sandbox.runtime_folder()), 0o700);
    sandbox.run(["ls"]).code(0);
}

#[test]
fn what_others_left_in_an_open_folder_is_not_believed() {
    if !strangers::are_possible() {
        return;
    }
    let sandbox = Sandbox::new();
    // A snapshot with a hint, taken from a server that was killed.
    let mut server = Server::start(&sandbox, &[]);
    rpc(&sandbox, "nudge.set_hint", &json!({ "component": "planted", "key": "k", "value": "v" }));
    let snapshot = sandbox.runtime_folder().join("server.snapshot");
    crate::servers::wait_until("there is a snapshot", || snapshot.exists());
    server.child.kill().unwrap();
    server.child.wait().unwrap();
    let members = sandbox.runtime_folder().join("members.lock");
    for path in [&snapshot, &members] {
        chown(path, Some(OTHER_UID), None).unwrap();
    }
    fs::set_permissions(sandbox.runtime_folder(), fs::Permissions::from_mode(0o777)).unwrap();
    // Another user who has the lock is not a server, and keeps nothing alive.
    let lock = fs::File::open(&members).unwrap();
    lock.lock_shared().unwrap();
    let mut client = Client::new(&sandbox);
    assert_eq!(client.call_json("nudge_list_components", json!({})), json!({ "components": [] }));
    assert_eq!(mode(&sandbox.runtime_folder()), 0o700);
}

/// Another user may leave more than files: folders, a fifo, links.
#[test]
fn an_open_nudge_folder_is_closed_whatever_others_left_in_it() {
    if !strangers::are_possible() {
        return;
    }
    let leave = |sandbox: &Sandbox, names: &str| {
        fs::create_dir(sandbox.runtime_folder()).unwrap();
        for path in ["", "home", "home/runtime"] {
            fs::set_permissions(sandbox.beside(path), fs::Permissions::from_mode(0o777)).unwrap();
        }
        let script = format!(
            "os.chdir(sys.argv[1])\nos.mkdir('empty')\nos.makedirs('full/inner')\nos.mkfifo('fifo')\n\
             os.symlink('/etc/passwd', 'link')\n{names}"
        );
        let folder = sandbox.runtime_folder();
        let left = strangers::other_user(sandbox, &script, &[folder.to_str().unwrap()]);
        assert!(left.wait_with_output().unwrap().status.success());
    };
    let sandbox = Sandbox::new();
    leave(
        &sandbox,
        "os.mkfifo('server.snapshot')\nos.symlink('/etc/passwd', 'server.token')\nos.mkdir('server.pid')",
    );
    let _server = Server::start(&sandbox, &[]);
    assert_eq!(mode(&sandbox.runtime_folder()), 0o700);
    let left = crate::servers::files(&sandbox);
    assert!(!left.iter().any(|name| ["empty", "fifo", "link"].contains(&name.as_str())), "{left:?}");
    assert!(sandbox.runtime_folder().join("full/inner").is_dir());
    sandbox.run(["set", "a", "k", "v"]).code(0);
    sandbox.run(["get", "a", "k"]).code(0);

    // A file with one of our names that cannot be deleted makes the folder useless, closed or not.
    let sandbox = Sandbox::new();
    leave(&sandbox, "os.makedirs('server.pid/inner')");
    let ran = sandbox.ran(&Server::begin(&sandbox, &[]).end());
    assert!(ran.stderr.contains("has a `server.pid` that is a folder"), "{}", ran.stderr);
    assert_eq!(mode(&sandbox.runtime_folder()), 0o700);
}

#[test]
fn a_folder_with_another_purpose_is_left_as_it_is() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.runtime_folder()).unwrap();
    fs::write(sandbox.runtime_folder().join("letter.txt"), "dear").unwrap();
    fs::set_permissions(sandbox.runtime_folder(), fs::Permissions::from_mode(0o755)).unwrap();
    let ran = sandbox.ran(&Server::begin(&sandbox, &[]).end());
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (
            Some(1),
            "error: the server cannot start: there is no safe runtime folder ($BASE/home/runtime: is open to others (mode 755, \
             not 700)); make one of them a folder of your own with mode 700, or set NUDGE_RUNTIME_DIR\n"
        )
    );
    assert_eq!(mode(&sandbox.runtime_folder()), 0o755);
    fs::set_permissions(sandbox.runtime_folder(), fs::Permissions::from_mode(0o700)).unwrap();
    if chown(sandbox.runtime_folder(), Some(OTHER_UID), None).is_ok() {
        let ran = sandbox.ran(&Server::begin(&sandbox, &[]).end());
        assert!(ran.stderr.contains("belongs to another user, uid 65534"), "{}", ran.stderr);
    }
}

#[test]
fn without_a_safe_folder_an_agent_has_all_but_shared_hints() {
    let sandbox = Sandbox::new();
    fs::create_dir(sandbox.beside("real")).unwrap();
    std::os::unix::fs::symlink(sandbox.beside("real"), sandbox.runtime_folder()).unwrap();
    let mut first = Client::new(&sandbox);
    let mut second = Client::new(&sandbox);
    assert_eq!(first.call_json("search", json!({ "query": "anything" })), json!([]));
    first.call_json("nx_task_list", json!({}));
    first.call_json("nudge_set_hint", json!({ "component": "a", "key": "k", "value": "v" }));
    assert_eq!(first.call_json("nudge_list_components", json!({}))["components"][0]["name"], "a");
    assert_eq!(second.call_json("nudge_list_components", json!({})), json!({ "components": [] }));
    let (status, _, stderr) = first.end();
    assert_eq!(status.code(), Some(0));
    assert!(stderr.contains("this server shares no hints with other agents and commands"), "{stderr}");
    assert!(stderr.contains("is a symbolic link") && stderr.contains("NUDGE_RUNTIME_DIR"), "{stderr}");
    let ran = sandbox.run(["status"]);
    assert!(
        ran.code == Some(1)
            && ran.stderr.starts_with("error: servers share no hints, since there is no safe runtime folder"),
        "{}",
        ran.stderr
    );
    let doctor = sandbox.run(["doctor"]);
    assert!(
        doctor.stdout.contains("servers cannot share hints in this folder: it is a symbolic link"),
        "{}",
        doctor.stdout
    );
}

/// `/tmp/nudge` is a place of the whole machine, so this test has a `/tmp` of its own. The program itself may be below the
/// other one, and is brought along.
#[test]
fn where_another_user_has_the_default_folder_all_meet_in_a_private_one() {
    if !strangers::are_possible() {
        return;
    }
    let sandbox = Sandbox::new();
    let script = "ip link set lo up\n\
        mkdir -p /run/user && mount -t tmpfs none /run/user && touch /run/user/nudge-program\n\
        mount --bind \"$nudge\" /run/user/nudge-program && nudge=/run/user/nudge-program\n\
        mount -t tmpfs none /tmp && cd / \n\
        mkdir -m 700 /tmp/home /tmp/session\n\
        export HOME=/tmp/home XDG_DATA_HOME=/tmp/home/data XDG_CONFIG_HOME=/tmp/home/config XDG_CACHE_HOME=/tmp/home/cache\n\
        unset NUDGE_RUNTIME_DIR\n\
        mkdir /tmp/nudge && chown 65534 /tmp/nudge\n\
        try() {\n\
          $nudge serve < /dev/null > /dev/null 2>&1 & server=$!\n\
          until $nudge ls > /dev/null 2>&1; do sleep 0.05; done\n\
          $nudge status 2>&1 | grep -o 'folder  .*'\n\
          $nudge stop > /dev/null\n\
          wait $server\n\
        }\n\
        try\n\
        XDG_RUNTIME_DIR=/tmp/session try\n\
        mkdir -m 700 -p /run/user/0; try\n\
        rmdir /run/user/0/nudge /run/user/0; rmdir /tmp/nudge-0; mkdir /tmp/nudge-0 && chown 65534 /tmp/nudge-0; try\n\
        rmdir /tmp/nudge; mkdir -m 755 /tmp/nudge; try; stat -c %a /tmp/nudge";
    let output = strangers::in_namespace(&sandbox, script, &[]);
    let ran = sandbox.ran(&output);
    assert_eq!(
        ran.stdout,
        "folder  /tmp/nudge-0\nfolder  /tmp/session/nudge\nfolder  /run/user/0/nudge\n\
         folder  ~/data/nudge/runtime\nfolder  /tmp/nudge\n700\n",
        "{}",
        ran.stderr
    );
}
