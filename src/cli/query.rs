//! `nudge query`: hints by component, key, tag or pattern, the best for this place first.

use std::process::ExitCode;

use super::hints::{self, PlaceArgs, name, shown_in_line, value_shown};
use super::output::{BOLD, DIM, Failure, Out, counted, say};
use super::rows::one_line;
use crate::api::hints::{QueryRequest, QueryWire};

/// Search hints, the best match for this place first
///
/// Finds only hints that apply here. Several keys or tags mean any of them; all flags must match. Exit code 0 even if
/// nothing is found.
#[derive(clap::Args)]
pub(crate) struct QueryArgs {
    /// Only if the key or the value contains this text; case does not matter
    #[arg(value_name = "TEXT", conflicts_with = "regex")]
    text: Option<String>,

    /// Only this component
    #[arg(long, value_name = "NAME")]
    component: Option<String>,

    /// Only with one of these keys
    #[arg(long, value_name = "KEYS", value_delimiter = ',')]
    keys: Vec<String>,

    /// Only with one of these tags
    #[arg(long, value_name = "TAGS", value_delimiter = ',')]
    tags: Vec<String>,

    /// Only if the key or the value matches this regular expression
    #[arg(long, value_name = "REGEX")]
    regex: Option<String>,

    /// Maximum number of results [default: 10]
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<usize>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &QueryArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut client = hints::reach(port)?;
    let request = QueryRequest {
        component: args.component.clone(),
        keys: args.keys.clone(),
        tags: args.tags.clone(),
        regex: args.regex.clone().or_else(|| args.text.as_deref().map(containing)),
        context: client.context(args.place.facts(), args.component.as_deref(), None)?,
        limit: args.limit.unwrap_or(QueryRequest::LIMIT),
    };
    let result = client.ask(&request)?;
    if args.json {
        out.json(&result)?;
        return Ok(ExitCode::SUCCESS);
    }
    for item in &result.hints {
        let named = name(&item.component, &item.key);
        let score = item.score;
        let value = one_line(&value_shown(&item.hint), 110);
        out.row(format_args!("{BOLD}{named}{BOLD:#}  {DIM}{score:.2}{DIM:#}  {value}"))?;
        let reasons = item.match_explain.reasons.join("; ");
        out.row(format_args!("  {DIM}{}{DIM:#}", shown_in_line(&reasons)))?;
    }
    say_rest(&result);
    Ok(ExitCode::SUCCESS)
}

/// Returns the regular expression that finds a text as it is, in any case.
fn containing(text: &str) -> String {
    let escaped =
        text.chars().map(|c| if c.is_ascii_punctuation() { format!("\\{c}") } else { c.to_string() });
    format!("(?i){}", escaped.collect::<String>())
}

/// Says what is not in the list: an empty one would look as if nothing was known.
fn say_rest(result: &QueryWire<'_>) {
    let shown = result.hints.len();
    let more = result.total.saturating_sub(shown);
    let elsewhere = result.elsewhere.as_ref().map_or(0, |elsewhere| elsewhere.hints);
    if more > 0 {
        let hints = if more == 1 { "hint" } else { "hints" };
        say(format_args!("{more} more {hints}; `--limit` shows them"));
    }
    match (shown, elsewhere) {
        (0, 0) => say("there is no such hint; `nudge ls` lists all components"),
        (_, 0) => {}
        (0, _) => say(format_args!("nothing applies here; elsewhere: {}", counted(elsewhere, "hint"))),
        _ => say(format_args!("elsewhere: {}", counted(elsewhere, "hint"))),
    }
}
