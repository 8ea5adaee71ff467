//! Each language over the same few variables, and what no template may do.

use std::borrow::Borrow;

use expect_test::{Expect, expect};

use super::{MOST, RenderError, Variables, render};
use crate::model::TemplateFormat::{self, Handlebars, Interpolate, Jinja, Mustache};

const ALL: [TemplateFormat; 4] = [Mustache, Handlebars, Jinja, Interpolate];

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// Renders with `host` and an empty `debug` given, and a default for `port`.
#[track_caller]
fn check(language: TemplateFormat, body: &str, expected: impl Borrow<Expect>) {
    let given = variables(&[("host", "a<b> & \"c\""), ("debug", "")]);
    let text = match render(language, body, &variables(&[("port", "80"), ("host", "nobody")]), &given) {
        Ok(text) => format!("{text:?}"),
        Err(error) => error.to_string(),
    };
    expected.borrow().assert_eq(&text);
}

#[test]
fn variables_are_filled_in_as_they_are() {
    let expected = expect![[r#""curl a<b> & \"c\":80/é""#]];
    check(Mustache, "curl {{host}}:{{ port }}/é", &expected);
    check(Mustache, "curl {{{host}}}:{{& port }}/é", &expected);
    check(Handlebars, "curl {{host}}:{{ port }}/é", &expected);
    check(Handlebars, "curl {{{host}}}:{{port}}/é", &expected);
    check(Jinja, "curl {{ host }}:{{port}}/é", &expected);
    check(Interpolate, "curl ${host}:${port}/é", &expected);
}

#[test]
fn every_missing_variable_is_named_at_once() {
    let expected =
        expect!["the template needs `one`, `two`; it has no `debug`; there are defaults for `host`, `port`"];
    check(Mustache, "{{one}} {{host}} {{two}} {{one}}", &expected);
    check(Handlebars, "{{one}} {{host}} {{two}} {{one}}", &expected);
    check(Jinja, "{{one}} {{host}} {{two}} {{one}}", &expected);
    check(Interpolate, "${one} ${host} ${two} ${one}", &expected);
}

#[test]
fn a_missing_variable_that_is_only_asked_for_is_no_mistake() {
    let expected = expect![[r#""x""#]];
    check(Mustache, "{{#absent}}{{absent}}{{/absent}}x", &expected);
    check(Handlebars, "{{#absent}}{{absent}}{{/absent}}{{#if absent}}{{absent}}{{else}}x{{/if}}", &expected);
    check(
        Jinja,
        "{% if absent %}{{ absent }}{% elif other is defined %}{{ other }}{% else %}x{% endif %}",
        &expected,
    );
    check(Jinja, "{{ absent|default('x') }}", &expected);
}

#[test]
fn only_what_cannot_be_done_without_is_missing() {
    let given = variables(&[]);
    let body = "{% if a == (b|default('x')) %}{% endif %}{{ a }}{{ c|default('d') }}";
    let missing = |body| match render(Jinja, body, &given, &given) {
        Err(RenderError::Missing { missing, .. }) => missing,
        other => panic!("{other:?}"),
    };
    assert_eq!(missing(body), ["a"]);
    assert_eq!(missing("{{ c|default(d) }}"), ["c", "d"]);
}

#[test]
fn mustache_has_sections_comments_and_delimiters() {
    check(Mustache, "{{#host}}{{.}}{{/host}}{{^host}}none{{/host}}", expect![[r#""a<b> & \"c\"""#]]);
    check(Mustache, "{{#debug}}-d{{/debug}}{{^debug}}-q{{/debug}}{{^none}}n{{/none}}", expect![[r#""-qn""#]]);
    check(Mustache, "a\n  {{#port}}  \n  b {{port}}\n  {{/port}}\nc\n", expect![[r#""a\n  b 80\nc\n""#]]);
    check(Mustache, "{{! nothing }}\na{{!x}}b\n", expect![[r#""ab\n""#]]);
    check(
        Mustache,
        "{{=<% %>=}}docker ps --format '{{.Names}}' -p <%port%>",
        expect![[r#""docker ps --format '{{.Names}}' -p 80""#]],
    );
    check(Mustache, "{{#port}}", expect!["the template cannot be filled in: `port` is never closed"]);
    check(
        Mustache,
        "{{#port}}{{/host}}",
        expect!["the template cannot be filled in: `host` is closed and was not open"],
    );
    check(Mustache, "{{port", expect!["the template cannot be filled in: a tag has no `}}`"]);
    check(
        Mustache,
        "{{>other}}",
        expect!["the template cannot be filled in: the partial `other` is not offered here"],
    );
    check(Mustache, "{{if x}}", expect!["the template cannot be filled in: `if x` is no name"]);
}

#[test]
fn handlebars_has_conditions_and_comparisons() {
    check(Handlebars, "{{#if debug}}-d{{else}}-q{{/if}}{{#unless debug}}!{{/unless}}", expect![[r#""-q!""#]]);
    check(
        Handlebars,
        "{{#if (eq port \"80\")}}http{{else if (eq port \"443\")}}https{{/if}}",
        expect![[r#""http""#]],
    );
    check(Handlebars, "{{#port}}p{{/port}}{{#debug}}d{{else}}q{{/debug}}", expect![[r#""pq""#]]);
    check(
        Handlebars,
        "{{#if port}}",
        expect!["the template cannot be filled in: the syntax is wrong at line 1, column 13"],
    );
    check(
        Handlebars,
        "{{>other}}",
        expect!["the template cannot be filled in: a partial is not offered here"],
    );
    check(
        Handlebars,
        "{{#*inline \"a\"}}{{>a}}{{/inline}}{{>a}}",
        expect!["the template cannot be filled in: a decorator is not offered here"],
    );
    check(
        Handlebars,
        "{{#each this}}{{this}}{{/each}}",
        expect!["the template cannot be filled in: `each` is not offered here"],
    );
    check(
        Handlebars,
        "{{lookup this \"port\"}}",
        expect!["the template cannot be filled in: `lookup` is not offered here"],
    );
    check(
        Handlebars,
        "{{#if (lookup this \"port\")}}x{{/if}}",
        expect!["the template cannot be filled in: `lookup` is not offered here"],
    );
}

#[test]
fn jinja_has_conditions_loops_and_filters() {
    check(Jinja, "{% if port == '80' and not debug %}http{% endif %}\n", expect![[r#""http""#]]);
    check(
        Jinja,
        "{% for part in 'a,b'|split(',') %}-f {{ part|upper }} {% endfor %}",
        expect![[r#""-f A -f B ""#]],
    );
    check(
        Jinja,
        "{{ port|replace('8', '9') }}{{ '  x '|trim }}{# no #}{% raw %}{{ x }}{% endraw %}",
        expect![[r#""90x{{ x }}""#]],
    );
    check(
        Jinja,
        "{% if port %}",
        expect!["the template cannot be filled in: unexpected end of input, expected end of block (line 1)"],
    );
    check(
        Jinja,
        "{% include 'x' %}",
        expect!["the template cannot be filled in: `{% include %}` is not offered here"],
    );
    check(
        Jinja,
        "{% set a = 1 %}",
        expect!["the template cannot be filled in: `{% set %}` is not offered here"],
    );
    check(Jinja, "{{ host ~ host }}", expect!["the template cannot be filled in: `~` is not offered here"]);
    check(Jinja, "{{ 'a' * 1000000 }}", expect!["the template cannot be filled in: `*` is not offered here"]);
    check(
        Jinja,
        "{{ port.x }}",
        expect!["the template cannot be filled in: it prints something that no variable can give it"],
    );
    check(
        Jinja,
        "{{ port|nonsense }}",
        expect!["the template cannot be filled in: filter nonsense is unknown (line 1)"],
    );
    check(Jinja, "{{ range(10) }}", expect!["the template cannot be filled in: range is unknown (line 1)"]);
}

#[test]
fn interpolation_leaves_the_shell_its_own() {
    check(
        Interpolate,
        "echo $HOME $1 $(id) ${x:-y} ${} ${1} $$ $${port} 5$ {port}",
        expect![[r#""echo $HOME $1 $(id) ${x:-y} ${} ${1} $ ${port} 5$ {port}""#]],
    );
    check(Interpolate, "${port", expect![[r#""${port""#]]);
}

#[test]
fn what_becomes_too_long_or_too_deep_is_refused() {
    let long = variables(&[("long", &"x".repeat(MOST / 4))]);
    let none = Variables::new();
    for language in ALL {
        let tag = if language == Interpolate { "${long}" } else { "{{long}}" };
        let body = tag.repeat(5);
        let why = "the template cannot be filled in: it becomes longer than 256 KiB";
        assert_eq!(
            render(language, &body, &none, &long).map_err(|error| error.to_string()),
            Err(why.to_owned())
        );
        let much = variables(&[("long", &"x".repeat(MOST + 1))]);
        assert!(matches!(render(language, "a", &none, &much), Err(RenderError::Broken(_))));
    }
}

#[test]
fn a_hostile_template_ends_soon_and_breaks_nothing() {
    let many = 20_000;
    let nested = |open: &str, close: &str| open.repeat(many) + &close.repeat(many);
    let bodies = [
        nested("{{#a}}", "{{/a}}"),
        nested("{{#if a}}", "{{/if}}"),
        "{{#if a}}".to_owned() + &"{{else if b}}".repeat(many) + "{{/if}}",
        nested("{% if a %}", "{% endif %}"),
        nested("{% for x in a %}", "{% endfor %}"),
        format!("{{{{ {} }}}}", nested("(", ")")),
        format!("{{{{ {} }}}}", nested("[", "]")),
        format!("{{{{ {}a }}}}", "not ".repeat(many)),
        format!("{{{{ {}a }}}}", "-".repeat(many)),
        format!("{{{{ a{} }}}}", "|upper".repeat(many)),
        format!("{{{{ a{} }}}}", ".b".repeat(many)),
        format!("{{{{ a{} }}}}", " if a else a".repeat(many)),
        format!("{{{{ a{} }}}}", " == a".repeat(many)),
        format!("{{{{ {}{} }}}}", "{1:".repeat(many), "}".repeat(many)),
        "{% if a %}".to_owned() + &"{% elif b %}".repeat(many) + "{% endif %}",
        "{% for x in a %}{% for y in a %}{% for z in a %}{{ a|upper|lower }}{% endfor %}{% endfor %}{% endfor %}".to_owned(),
        "{{".repeat(many),
        "{{{{".repeat(many),
        "{{#a}}".repeat(many),
        "${".repeat(many),
        "\\{{".repeat(many),
        "{{=x y=}}".repeat(many),
    ];
    let given = variables(&[("a", &"x".repeat(1000))]);
    for body in &bodies {
        for language in ALL {
            drop(render(language, body, &Variables::new(), &given));
        }
    }
}

proptest::proptest! {
    #[test]
    fn nothing_panics(body in r"([{}%#^/!&=$.|()\[\] \n]|if |else|end|for |x|é){0,40}") {
        let given = variables(&[("x", "1")]);
        for language in ALL {
            if let Ok(text) = render(language, &body, &Variables::new(), &given) {
                proptest::prop_assert!(text.len() <= MOST);
            }
        }
    }
}
