//! Tests of this module.

#![expect(clippy::needless_pass_by_value, reason = "tables read better without borrows")]

mod flaws;
mod imports;
mod life;
mod limits;
mod scenarios;
mod sessions;
mod variants;

use expect_test::Expect;
use jiff::ToSpan;
use serde_json::json;

use super::*;

/// A service with a clock that only moves when the test moves it.
struct Bench {
    service: HintService,
    now: Timestamp,
}

fn limits() -> HintLimits {
    HintLimits { max_hints: 5_000, secret_guard: true, default_ttl: "session".into(), suggestions: 5 }
}

fn written(snapshot: &Snapshot) -> Vec<u8> {
    let mut bytes = Vec::new();
    snapshot.write(&mut bytes).unwrap();
    bytes
}

impl Bench {
    fn new() -> Bench {
        Bench::with(limits())
    }

    fn with(limits: HintLimits) -> Bench {
        let now = "2026-01-02T03:04:05.678Z".parse().unwrap();
        Bench { service: HintService::open(limits, now).unwrap(), now }
    }

    fn wait(&mut self, seconds: i64) -> &mut Bench {
        self.now = self.now.checked_add(seconds.seconds()).unwrap();
        self
    }

    fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let method = HintMethod::by_name(&format!("nudge.{method}")).unwrap();
        let params = params.as_object().unwrap();
        let answer = self.service.answer(method, params, self.now);
        answer.map(|answer| answer.to_value()).map_err(|refusal| refusal.to_error().unwrap())
    }

    #[track_caller]
    fn ok(&mut self, method: &str, params: Value) -> Value {
        self.ask(method, params).unwrap()
    }

    #[track_caller]
    fn error(&mut self, method: &str, params: Value) -> Value {
        self.ask(method, params).unwrap_err()
    }

    /// Sets a plain hint under `c/k` with this scope.
    #[track_caller]
    fn scoped(&mut self, value: &str, scope: Value) -> Value {
        self.ok(
            "set_hint",
            json!({ "component": "c", "key": "k", "value": value, "meta": { "scope": scope } }),
        )
    }

    /// Returns the value of `c/k` in this context, or the refusal's sentence.
    fn value(&mut self, context: Value) -> String {
        match self.ask("get_hint", json!({ "component": "c", "key": "k", "context": context })) {
            Ok(found) => found["hint"]["value"].as_str().unwrap().to_owned(),
            Err(error) => format!("{}: {}", error["code"], error["message"].as_str().unwrap()),
        }
    }
}

#[track_caller]
fn shows(value: &Value, expect: &Expect) {
    expect.assert_eq(&format!("{}\n", serde_json::to_string_pretty(value).unwrap()));
}
