//! Handlebars, with the crate of that name: `if`, `unless`, `else`, comparisons, and sections as in Mustache.
//!
//! There are no lists among the variables, so nothing has to repeat; what could (partials, decorators, `each`) is refused,
//! and a text takes no longer than its body and its variables are.

use handlebars::template::TemplateElement;
use handlebars::{
    Context, Handlebars, Helper, HelperResult, Output, RenderContext, RenderErrorReason, Renderable,
    Template, TemplateError, no_escape,
};

use super::{Bounded, DEEPEST, Trouble, Variables, depth};

/// What the crate offers and we do not: it repeats, reaches into lists, or writes to a log.
const DROPPED: [&str; 5] = ["each", "with", "lookup", "raw", "log"];

pub(super) fn render(body: &str, variables: &Variables) -> Result<String, Trouble> {
    // The crate descends with every block, and also when it lets go of a template.
    if depth(body) > DEEPEST || body.matches("{{#").count() + body.matches("{{else").count() > 4 * DEEPEST {
        return Err(Trouble::too_deep());
    }
    let template = Template::compile(body).map_err(|error| syntax(&error))?;
    look_through(&template)?;
    let mut handlebars = Handlebars::new();
    handlebars.set_strict_mode(true);
    handlebars.register_escape_fn(no_escape);
    DROPPED.iter().for_each(|name| handlebars.unregister_helper(name));
    handlebars.register_helper("blockHelperMissing", Box::new(section));
    handlebars.register_template("hint", template);
    let mut bounded = Bounded::default();
    handlebars.render_to_write("hint", variables, &mut bounded).map_err(|error| match error.reason() {
        RenderErrorReason::MissingVariable(name) => Trouble::Undefined(name.clone()),
        RenderErrorReason::HelperNotFound(name) => Trouble::Broken(format!("`{name}` is not offered here")),
        RenderErrorReason::IOError(_) => Trouble::too_long(),
        reason => Trouble::Broken(reason.to_string()),
    })?;
    bounded.into_text()
}

/// `{{#name}}…{{else}}…{{/name}}`: shown if there is such a variable, and it is not empty.
fn section<'reg, 'rc>(
    helper: &Helper<'rc>,
    registry: &'reg Handlebars<'reg>,
    context: &'rc Context,
    render: &mut RenderContext<'reg, 'rc>,
    out: &mut dyn Output,
) -> HelperResult {
    let value = context.data().get(helper.name()).and_then(|value| value.as_str());
    let there = value.is_some_and(|value| !value.is_empty());
    if !helper.params().is_empty() {
        return Err(RenderErrorReason::HelperNotFound(helper.name().to_owned()).into());
    }
    match if there { helper.template() } else { helper.inverse() } {
        Some(template) => template.render(registry, context, render, out),
        None => Ok(()),
    }
}

/// Refuses what would reach for other templates.
fn look_through(template: &Template) -> Result<(), Trouble> {
    for element in &template.elements {
        match element {
            TemplateElement::HelperBlock(block) => {
                block.template.iter().chain(&block.inverse).try_for_each(look_through)?;
            }
            TemplateElement::PartialExpression(_) | TemplateElement::PartialBlock(_) => {
                return Err(Trouble::Broken("a partial is not offered here".to_owned()));
            }
            TemplateElement::DecoratorExpression(_) | TemplateElement::DecoratorBlock(_) => {
                return Err(Trouble::Broken("a decorator is not offered here".to_owned()));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Says where the parser stopped; what it would have expected there is a long list of its own words.
fn syntax(error: &TemplateError) -> Trouble {
    let place = error.pos().map(|(line, column)| format!(" at line {line}, column {column}"));
    Trouble::Broken(format!("the syntax is wrong{}", place.unwrap_or_default()))
}
