//! `nudge query`: hints by component, key, tag or pattern, the best for this place first.

use std::process::ExitCode;

use serde_json::{Map, Value, json};

use super::hints::{Conversation, PlaceArgs, listed, name, shown_in_line, value_shown};
use super::output::{BOLD, DIM, Failure, Out, counted, say};
use super::rows::one_line;
use crate::api::HintMethod;

/// Search hints, the best match for this place first
///
/// Finds only hints that apply here. Several keys or tags mean any of them; all flags must match. Exit code 0 even if
/// nothing is found.
#[derive(clap::Args)]
pub(crate) struct QueryArgs {
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
    limit: Option<u64>,

    /// Print JSON
    #[arg(short, long)]
    json: bool,

    #[command(flatten)]
    place: PlaceArgs,
}

pub(crate) fn run(args: &QueryArgs, port: Option<u16>, out: &mut Out) -> Result<ExitCode, Failure> {
    let mut conversation = Conversation::begin(port, args.json)?;
    let mut params = args.params();
    conversation.place(&mut params, &args.place, args.component.as_deref(), None, out)?;
    let result = conversation.ask(HintMethod::Query, params, out)?;
    if args.json {
        out.json(&result)?;
        return Ok(ExitCode::SUCCESS);
    }
    let found = result["hints"].as_array().map(Vec::as_slice).unwrap_or_default();
    for item in found {
        let named = name(&listed(&item["component"], ""), &listed(&item["key"], ""));
        let score = item["score"].as_f64().unwrap_or_default();
        let value = one_line(&value_shown(&item["hint"]), 110);
        out.row(format_args!("{BOLD}{named}{BOLD:#}  {DIM}{score:.2}{DIM:#}  {value}"))?;
        let reasons = &item["match_explain"]["reasons"];
        out.row(format_args!("  {DIM}{}{DIM:#}", shown_in_line(&listed(reasons, "; "))))?;
    }
    say_rest(&result, found.len());
    Ok(ExitCode::SUCCESS)
}

/// Says what is not in the list: an empty one would look as if nothing was known.
fn say_rest(result: &Value, shown: usize) {
    let count = |value: &Value| value.as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0);
    let more = count(&result["total"]).saturating_sub(shown);
    let elsewhere = count(&result["elsewhere"]["hints"]);
    if more > 0 {
        say(format_args!("{} more; `--limit` shows them", counted(more, "hint")));
    }
    match (shown, elsewhere) {
        (0, 0) => say("there is no such hint; `nudge ls` lists all components"),
        (_, 0) => {}
        (0, _) => say(format_args!("nothing holds here; elsewhere: {}", counted(elsewhere, "hint"))),
        _ => say(format_args!("elsewhere: {}", counted(elsewhere, "hint"))),
    }
}

impl QueryArgs {
    fn params(&self) -> Map<String, Value> {
        let mut params = Map::new();
        let mut put =
            |name: &str, value: Option<Value>| params.extend(value.map(|value| (name.to_owned(), value)));
        put("component", self.component.clone().map(Value::from));
        put("keys", (!self.keys.is_empty()).then(|| json!(self.keys)));
        put("tags", (!self.tags.is_empty()).then(|| json!(self.tags)));
        put("regex", self.regex.clone().map(Value::from));
        put("limit", self.limit.map(Value::from));
        params
    }
}
