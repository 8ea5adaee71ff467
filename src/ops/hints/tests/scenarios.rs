//! The scenarios of the seed, with whole answers.

use expect_test::expect;

use super::*;

fn build_hint() -> Value {
    json!({
        "component": "http-proxy",
        "key": "build",
        "value": {"type": "command", "shell": "bash", "cmd": "docker compose build router"},
        "meta": {
            "reason": "custom router image",
            "tags": ["build", "docker"],
            "priority": 7,
            "confidence": 0.8,
            "ttl": "session",
            "scope": {"cwd_glob": ["**/http-proxy*"], "branch": ["dev", "main"], "os": ["linux", "darwin"]}
        }
    })
}

#[test]
fn a_warm_start() {
    let mut bench = Bench::new();
    shows(
        &bench.ok("set_hint", build_hint()),
        &expect![[r#"
        {
          "component": "http-proxy",
          "key": "build",
          "hint": {
            "value": {
              "type": "command",
              "shell": "bash",
              "cmd": "docker compose build router"
            },
            "meta": {
              "reason": "custom router image",
              "tags": [
                "build",
                "docker"
              ],
              "priority": 7,
              "confidence": 0.8,
              "ttl": "session",
              "scope": {
                "branch": [
                  "dev",
                  "main"
                ],
                "cwd_glob": [
                  "**/http-proxy*"
                ],
                "os": [
                  "darwin",
                  "linux"
                ]
              }
            },
            "version": 1,
            "created_at": "2026-01-02T03:04:05.678Z",
            "updated_at": "2026-01-02T03:04:05.678Z",
            "use_count": 0
          },
          "variants": 1
        }
    "#]],
    );
    let context = json!({"cwd": "/work/minerva/http-proxy", "branch": "dev", "os": "linux"});
    let get = json!({"component": "http-proxy", "key": "build", "context": context});
    shows(
        &bench.ok("get_hint", get.clone()),
        &expect![[r#"
        {
          "component": "http-proxy",
          "key": "build",
          "hint": {
            "value": {
              "type": "command",
              "shell": "bash",
              "cmd": "docker compose build router"
            },
            "meta": {
              "reason": "custom router image",
              "tags": [
                "build",
                "docker"
              ],
              "priority": 7,
              "confidence": 0.8,
              "ttl": "session",
              "scope": {
                "branch": [
                  "dev",
                  "main"
                ],
                "cwd_glob": [
                  "**/http-proxy*"
                ],
                "os": [
                  "darwin",
                  "linux"
                ]
              }
            },
            "version": 1,
            "created_at": "2026-01-02T03:04:05.678Z",
            "updated_at": "2026-01-02T03:04:05.678Z",
            "use_count": 0
          },
          "match_explain": {
            "matched": true,
            "score": 0.52,
            "reasons": [
              "cwd matched **/http-proxy*",
              "branch=dev allowed",
              "os=linux allowed",
              "priority 7",
              "confidence 0.8"
            ]
          },
          "variants": 1
        }
    "#]],
    );
    bench.wait(60);
    shows(
        &bench.ok("bump", json!({"component": "http-proxy", "key": "build", "context": context})),
        &expect![[r#"
        {
          "component": "http-proxy",
          "key": "build",
          "hint": {
            "value": {
              "type": "command",
              "shell": "bash",
              "cmd": "docker compose build router"
            },
            "meta": {
              "reason": "custom router image",
              "tags": [
                "build",
                "docker"
              ],
              "priority": 7,
              "confidence": 0.8,
              "ttl": "session",
              "scope": {
                "branch": [
                  "dev",
                  "main"
                ],
                "cwd_glob": [
                  "**/http-proxy*"
                ],
                "os": [
                  "darwin",
                  "linux"
                ]
              }
            },
            "version": 1,
            "created_at": "2026-01-02T03:04:05.678Z",
            "updated_at": "2026-01-02T03:04:05.678Z",
            "last_used_at": "2026-01-02T03:05:05.678Z",
            "use_count": 1
          }
        }
    "#]],
    );
    bench.wait(300);
    shows(
        &bench.ok("get_hint", get)["match_explain"],
        &expect![[r#"
        {
          "matched": true,
          "score": 0.5485,
          "reasons": [
            "cwd matched **/http-proxy*",
            "branch=dev allowed",
            "os=linux allowed",
            "used once, 5m ago",
            "priority 7",
            "confidence 0.8"
          ]
        }
    "#]],
    );
}

#[test]
fn a_build_error_is_looked_up() {
    let mut bench = Bench::new();
    bench.ok("set_hint", build_hint());
    let context = json!({"cwd": "/work/minerva/http-proxy", "os": "linux", "branch": "dev"});
    let query = json!({"component": "http-proxy", "tags": ["build"], "context": context, "limit": 3});
    shows(
        &bench.ok("query", query),
        &expect![[r#"
        {
          "hints": [
            {
              "component": "http-proxy",
              "key": "build",
              "hint": {
                "value": {
                  "type": "command",
                  "shell": "bash",
                  "cmd": "docker compose build router"
                },
                "meta": {
                  "reason": "custom router image",
                  "tags": [
                    "build",
                    "docker"
                  ],
                  "priority": 7,
                  "confidence": 0.8,
                  "ttl": "session",
                  "scope": {
                    "branch": [
                      "dev",
                      "main"
                    ],
                    "cwd_glob": [
                      "**/http-proxy*"
                    ],
                    "os": [
                      "darwin",
                      "linux"
                    ]
                  }
                },
                "version": 1,
                "created_at": "2026-01-02T03:04:05.678Z",
                "updated_at": "2026-01-02T03:04:05.678Z",
                "use_count": 0
              },
              "score": 0.52,
              "match_explain": {
                "matched": true,
                "score": 0.52,
                "reasons": [
                  "cwd matched **/http-proxy*",
                  "branch=dev allowed",
                  "os=linux allowed",
                  "priority 7",
                  "confidence 0.8"
                ]
              }
            }
          ],
          "total": 1
        }
    "#]],
    );
}

#[test]
fn a_build_error_shows_the_hint_automatically() {
    let mut bench = Bench::new();
    bench.ok("set_hint", build_hint());
    let failure = json!({
        "trigger": "failure",
        "session": "s1",
        "text": "docker compose build\nservice router not found",
        "context": {"cwd": "/work/minerva/http-proxy", "os": "linux", "branch": "dev"},
    });
    shows(
        &bench.ok("suggest", failure.clone()),
        &expect![[r#"
        {
          "suggestions": [
            {
              "component": "http-proxy",
              "key": "build",
              "value": "docker compose build router",
              "reasons": [
                "it is about `build`",
                "it has `docker`, `compose`, `build`, `router` in common",
                "cwd matched **/http-proxy*",
                "branch=dev allowed",
                "os=linux allowed",
                "priority 7",
                "confidence 0.8"
              ],
              "tags": [
                "build",
                "docker"
              ]
            }
          ]
        }
    "#]],
    );
    shows(
        &bench.ok("suggest", failure),
        &expect![[r#"
        {
          "suggestions": []
        }
    "#]],
    );
}

#[test]
fn each_system_gets_its_own_path() {
    let mut bench = Bench::new();
    let set = |value: &str, os: &str| json!({"component": "c", "key": "k", "value": value, "meta": {"scope": {"os": [os]}}});
    bench.ok("set_hint", set("c:\\code\\http-proxy", "windows"));
    assert_eq!(bench.ok("set_hint", set("/Users/dev/code/http-proxy", "darwin"))["variants"], 2);
    assert_eq!(bench.value(json!({"os": "windows"})), "c:\\code\\http-proxy");
    assert_eq!(bench.value(json!({"os": "darwin"})), "/Users/dev/code/http-proxy");
    let get = json!({"component": "c", "key": "k", "context": {"os": "linux"}});
    shows(
        &bench.error("get_hint", get),
        &expect![[r#"
        {
          "code": 40401,
          "message": "`c/k` is known, but applies elsewhere: os differs",
          "data": {
            "reason": "E_NOT_FOUND",
            "detail": "`c/k` is known, but applies elsewhere: os differs",
            "matched": false,
            "candidates": [
              {
                "scope": {
                  "os": [
                    "darwin"
                  ]
                },
                "failed": [
                  "os differs"
                ]
              },
              {
                "scope": {
                  "os": [
                    "windows"
                  ]
                },
                "failed": [
                  "os differs"
                ]
              }
            ],
            "missing": []
          }
        }
    "#]],
    );
    let get = json!({"component": "c", "key": "k", "context": {"os": "darwin"}});
    shows(
        &bench.ok("get_hint", get)["match_explain"],
        &expect![[r#"
        {
          "matched": true,
          "score": 0.34,
          "reasons": [
            "os=darwin allowed",
            "not here: os=windows"
          ]
        }
    "#]],
    );
}

#[test]
fn a_toggle_expires_after_two_hours() {
    let mut bench = Bench::new();
    bench.ok(
        "set_hint",
        json!({
            "component": "c",
            "key": "k",
            "value": "1",
            "meta": {"ttl": "PT2H", "tags": ["env", "test"], "scope": {"branch": ["hotfix/*"]}}
        }),
    );
    bench.wait(2 * 3600 - 1);
    assert_eq!(bench.value(json!({"branch": "hotfix/a"})), "1");
    bench.wait(1);
    assert_eq!(bench.value(json!({"branch": "hotfix/a"})), "40401: there is no component `c`");
}

#[test]
fn a_seed_is_imported_and_exported() {
    let mut bench = Bench::new();
    let payload = json!({
        "schema_version": "1.0",
        "components": {
            "api": {"hints": {"run": {"value": "make run"}, "test": {"value": "make test", "meta": {"tags": ["test"]}}}},
            "web": {
                "hints": {"dir": {"value": {"type": "path", "abs": "/srv//web/"}}},
                "variants": {"dir": [{"value": "x", "meta": {"scope": {"os": "windows"}}}]}
            }
        }
    });
    shows(
        &bench.ok("import", json!({"payload": payload, "mode": "merge"})),
        &expect![[r#"
        {
          "imported": 4,
          "skipped": 0,
          "errors": []
        }
    "#]],
    );
    shows(
        &bench.ok("import", json!({"payload": payload, "mode": "merge"})),
        &expect![[r#"
        {
          "imported": 0,
          "skipped": 4,
          "errors": []
        }
    "#]],
    );
    shows(
        &bench.ok("export", json!({"format": "json", "component": "web"})),
        &expect![[r#"
        {
          "payload": {
            "schema_version": "1.0",
            "created_at": "2026-01-02T03:04:05.678Z",
            "session_id": "nudge-1767323045678",
            "components": {
              "web": {
                "hints": {
                  "dir": {
                    "value": {
                      "type": "path",
                      "abs": "/srv/web"
                    },
                    "meta": {
                      "ttl": "session"
                    },
                    "version": 1,
                    "created_at": "2026-01-02T03:04:05.678Z",
                    "updated_at": "2026-01-02T03:04:05.678Z",
                    "use_count": 0
                  }
                },
                "variants": {
                  "dir": [
                    {
                      "value": "x",
                      "meta": {
                        "ttl": "session",
                        "scope": {
                          "os": [
                            "windows"
                          ]
                        }
                      },
                      "version": 1,
                      "created_at": "2026-01-02T03:04:05.678Z",
                      "updated_at": "2026-01-02T03:04:05.678Z",
                      "use_count": 0
                    }
                  ]
                }
              }
            }
          },
          "skipped_secrets": 0
        }
    "#]],
    );
    shows(
        &bench.ok("list_components", json!({})),
        &expect![[r#"
        {
          "components": [
            {
              "name": "api",
              "hint_count": 2
            },
            {
              "name": "web",
              "hint_count": 2
            }
          ]
        }
    "#]],
    );
    shows(
        &bench.ok("list_components", json!({"component": "api"})),
        &expect![[r#"
        {
          "components": [
            {
              "name": "api",
              "hint_count": 2,
              "keys": [
                "run",
                "test"
              ]
            }
          ]
        }
    "#]],
    );
    shows(
        &bench.ok("delete_hint", json!({"component": "web", "key": "dir"})),
        &expect![[r#"
        {
          "deleted": true,
          "component": "web",
          "key": "dir",
          "previous": {
            "value": "x",
            "meta": {
              "ttl": "session",
              "scope": {
                "os": [
                  "windows"
                ]
              }
            },
            "version": 1,
            "created_at": "2026-01-02T03:04:05.678Z",
            "updated_at": "2026-01-02T03:04:05.678Z",
            "use_count": 0
          },
          "deleted_count": 2
        }
    "#]],
    );
}
