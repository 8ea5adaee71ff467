//! Tests of this module.

use super::*;

#[test]
fn a_field_exists_where_events_have_it() {
    let check = |hook: Hook, expect: &[&str]| {
        let fields = Field::ALL.into_iter().filter(|field| field.exists_on(hook));
        assert_eq!(fields.map(Field::name).collect::<Vec<_>>(), expect);
    };
    check(Hook::PreToolUse, &["content", "command", "new_string", "old_string"]);
    check(Hook::PostToolUse, &["content", "command", "new_string", "old_string", "output"]);
    check(Hook::UserPromptSubmit, &["prompt"]);
    check(Hook::Stop, &["message"]);
    check(Hook::SessionStart, &[]);
    check(Hook::Other, &[]);
}

#[test]
fn the_table_names_every_hook_field_and_action() {
    let names = |keys: &[Key]| keys.iter().map(|key| key.name).collect::<Vec<_>>();
    let choices =
        |keys: &[Key], name: &str| match keys.iter().find(|key| key.name == name).map(|key| &key.kind) {
            Some(KeyKind::Choice(words)) => words.to_vec(),
            _ => Vec::new(),
        };
    assert_eq!(choices(ON, "hook"), HOOKS.map(Hook::name));
    assert_eq!(choices(RULE, "action"), Action::ALL.map(Action::name));
    assert_eq!(names(MATCH)[..7], Field::ALL.map(Field::name));
    assert_eq!(names(EXAMPLE)[2..9], Field::ALL.map(Field::name));
}

#[test]
fn the_json_schema_agrees_with_the_table() {
    let schema = json_schema();
    let rule = &schema["properties"]["rules"]["items"];
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["required"], json!(["version"]));
    assert_eq!(schema["properties"]["version"]["const"], 1);
    assert_eq!(rule["required"], json!(["name"]));
    assert_eq!(rule["then"]["required"], json!(["name", "on", "action", "message"]));
    assert_eq!(rule["additionalProperties"], false);
    assert_eq!(rule["patternProperties"], json!({ "^x-": {} }));
    assert_eq!(rule["properties"]["on"]["required"], json!(["hook"]));
    assert_eq!(rule["properties"]["action"]["enum"], json!(["interrupt", "ask", "continue"]));
    assert_eq!(rule["properties"]["enabled"]["type"], "boolean");
    assert_eq!(rule["properties"]["match"].get("required"), None);
    assert_eq!(
        rule["properties"]["on"]["properties"]["file"]["oneOf"],
        json!([
            { "type": "string", "minLength": 1 },
            { "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1 },
        ])
    );
}

#[test]
fn a_sample_fits_the_hook_that_it_describes() {
    let check = |sample: &Sample, expect: [bool; 4]| assert_eq!(HOOKS.map(|hook| sample.fits(hook)), expect);
    let text = || Some("x".to_owned());
    check(&Sample::default(), [true, true, false, false]);
    check(&Sample { content: text(), ..Sample::default() }, [true, true, false, false]);
    check(&Sample { prompt: text(), ..Sample::default() }, [false, false, true, false]);
    check(&Sample { message: text(), ..Sample::default() }, [false, false, false, true]);
}
