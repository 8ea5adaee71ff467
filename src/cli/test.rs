//! `nudge test`: tries rules on a described event and says what each of them would do.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::here;
use super::output::{BOLD, DIM, Failure, GREEN, Out, RED, YELLOW, counted, in_line, say};
use super::replay::{self, ReplayArgs};
use crate::api::list::ListWire;
use crate::api::rules::TriedRuleJson;
use crate::ops::here::root as root_of;
use crate::ops::rules::explain::{Explained, Explanation, explain, has_unknown_parts};
use crate::ops::rules::replay::RuleChoice;
use crate::ops::rules::{EarlierCall, Sample, parse_earlier};

/// Try rules on a sample, and see why they fire or not
///
/// With --rule, tries one rule; otherwise shows those that fire, and with --verbose why the others do not. With --replay, tries the rules on the calls
/// of the past instead, and shows what they would have stopped: what failed, what you refused, and what went well.
#[derive(clap::Args)]
#[command(group = clap::ArgGroup::new("text").multiple(false))]
pub(crate) struct TestArgs {
    #[command(flatten)]
    replay: ReplayArgs,

    /// With --replay: show at most this many calls of each rule; 0 shows all
    #[arg(short = 'n', long, value_name = "N", requires = "replay", default_value_t = 10)]
    limit: usize,

    /// Name of the rule to try
    #[arg(long, value_name = "NAME")]
    rule: Option<String>,

    /// Tool of the call: Write, Edit, Bash, …
    #[arg(long, value_name = "NAME")]
    tool: Option<String>,

    /// File of the call, relative to this folder; with --replay: a rule file to try instead of those that apply here
    #[arg(long, value_name = "PATH")]
    file: Option<String>,

    /// Content to write, or the command
    #[arg(long, value_name = "TEXT", group = "text", allow_hyphen_values = true)]
    content: Option<String>,

    /// File with the content; `-` is stdin
    #[arg(long, value_name = "PATH", group = "text")]
    content_file: Option<PathBuf>,

    /// New text of an edit
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    new_string: Option<String>,

    /// Old text of an edit
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    old_string: Option<String>,

    /// Prompt of the user, for rules on UserPromptSubmit
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["tool", "file", "text", "new_string", "old_string"])]
    prompt: Option<String>,

    /// Last message of the agent, for rules on Stop
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["tool", "file", "text", "new_string", "old_string", "prompt"])]
    message: Option<String>,

    /// What the tool returned, for rules on PostToolUse
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true, conflicts_with_all = ["prompt", "message"])]
    tool_output: Option<String>,

    /// What happened before in the session, for rules with `after`, `without` or `times`: `Write src/a.rs`, `cargo test`,
    /// `failed cargo test`, `20m ago cargo test`, `prompt you may deploy`; repeat it, the earliest first
    #[arg(long, value_name = "CALL", value_parser = parse_earlier, conflicts_with = "replay")]
    after: Vec<EarlierCall>,

    /// Show every rule, with the reason why it does not fire
    #[arg(long, conflicts_with = "replay")]
    verbose: bool,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

pub(crate) fn run(args: &TestArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    if let Some(since) = args.replay.replay {
        let choice = RuleChoice { name: args.rule.clone(), file: args.file.as_ref().map(PathBuf::from) };
        let (request, replayed) = args.replay.run(since, &choice)?;
        if args.json {
            out.json(&replayed.to_json(&request))?;
        } else {
            replay::show(&request, &replayed, args.limit, out)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let here = here()?;
    let root = root_of(&here);
    let sample = sample(args)?;
    let explained = explain(&root, &here, &sample, args.rule.as_deref()).map_err(|error| {
        let failure = Failure::new(error.message);
        failure.hint(error.hint)
    })?;
    if let Some(file) = sample.file.as_deref().filter(|file| has_unknown_parts(file, &explained)) {
        say(format_args!("the language of `{}` is not known, so `in` means all of its text", in_line(file)));
    }
    if args.json {
        out.json(&ListWire::<TriedRuleJson>::whole(explained.iter().map(to_json)))?;
    } else if args.rule.is_some() {
        explained.iter().try_for_each(|one| show_one(one, out))?;
    } else {
        show_all(&explained, args.verbose, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn sample(args: &TestArgs) -> Result<Sample, Failure> {
    let content = match &args.content_file {
        Some(path) => Some(read(path)?),
        None => args.content.clone(),
    };
    let sample = Sample {
        tool: args.tool.clone(),
        file: args.file.clone(),
        content,
        new_string: args.new_string.clone(),
        old_string: args.old_string.clone(),
        prompt: args.prompt.clone(),
        message: args.message.clone(),
        output: args.tool_output.clone(),
        after: Some(args.after.clone()),
    };
    if sample == (Sample { after: Some(args.after.clone()), ..Sample::default() }) {
        let failure = Failure::new("there is nothing to try the rules on").usage();
        return Err(failure.hint("give --tool with --file and --content, or --prompt, or --message"));
    }
    Ok(sample)
}

/// More than agents write at once; what is longer is not read to its end.
const MAX_BYTES: u64 = 64 << 20;

fn read(path: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let read = match path.to_str() {
        Some("-") => std::io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes),
        _ => std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)),
    };
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::new(format!("`{}` is larger than 64 MB", path.display())));
    }
    read.map_err(|error| {
        let failure = Failure::new(format!("`{}` cannot be read: {error}", path.display()));
        failure.hint("name a file as seen from here, `-` for stdin, or give the text with --content")
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The form that the RFC shows.
fn show_one(one: &Explained, out: &mut Out) -> Result<(), Failure> {
    out.line(format_args!("Rule: {BOLD}{}{BOLD:#}", in_line(&one.rule.name)))?;
    let (style, word) = result(&one.why);
    out.line(format_args!("Result: {style}{word}{style:#}"))?;
    match &one.why {
        Explanation::Fired(fired) => {
            out.line("Message:")?;
            fired.message.lines().try_for_each(|line| out.line(format_args!("  {line}")))
        }
        why => out.line(format_args!("Reason: {why}")),
    }
}

fn show_all(explained: &[Explained], verbose: bool, out: &mut Out) -> Result<(), Failure> {
    if explained.is_empty() {
        return out.line("no rules are loaded");
    }
    let speaks =
        |one: &&Explained| verbose || matches!(one.why, Explanation::Fired(_) | Explanation::Unevaluated(_));
    let shown: Vec<&Explained> = explained.iter().filter(speaks).collect();
    let width = shown.iter().map(|one| in_line(&one.rule.name).chars().count()).max().unwrap_or(0);
    for one in &shown {
        let (style, word) = result(&one.why);
        let name = in_line(&one.rule.name);
        let reason = match &one.why {
            Explanation::Fired(fired) => first_line(&fired.message),
            why => why.to_string(),
        };
        out.line(format_args!(
            "{style}{word:13}{style:#}  {BOLD}{name:width$}{BOLD:#}  {reason}  {DIM}{}{DIM:#}",
            one.rule.place
        ))?;
    }
    match explained.len() - shown.len() {
        0 => {}
        others if shown.is_empty() => {
            let (style, word) = (DIM, "NO MATCH");
            out.line(format_args!("{style}{word}{style:#}  {} tried", counted(others, "rule")))?;
            say("`--verbose` shows why each of them does not fire");
        }
        others => say(format_args!(
            "{} {} not fire; `--verbose` shows why",
            counted(others, "other rule"),
            if others == 1 { "does" } else { "do" }
        )),
    }
    Ok(())
}

/// Returns the first line of a message, and whether there are more.
fn first_line(message: &str) -> String {
    let mut lines = message.lines();
    let first = lines.next().unwrap_or_default();
    let more = if lines.any(|line| !line.trim().is_empty()) { " …" } else { "" };
    format!("{first}{more}")
}

fn result(why: &Explanation) -> (anstyle::Style, &'static str) {
    match why {
        Explanation::Fired(fired) if fired.action.name() == "interrupt" => (RED, "INTERRUPT"),
        Explanation::Fired(fired) if fired.action.name() == "ask" => (YELLOW, "ASK"),
        Explanation::Fired(_) => (GREEN, "CONTINUE"),
        Explanation::Unevaluated(_) => (YELLOW, "NOT EVALUATED"),
        _ => (DIM, "NO MATCH"),
    }
}

fn to_json(one: &Explained) -> TriedRuleJson {
    let (message, lines) = match &one.why {
        Explanation::Fired(fired) => (Some(fired.message.clone()), Some(fired.lines.clone())),
        _ => (None, None),
    };
    TriedRuleJson {
        rule: one.rule.name.clone(),
        file: one.rule.place.file.clone(),
        line: one.rule.place.line,
        result: result(&one.why).1.to_lowercase().replace(' ', "_"),
        reason: one.why.to_string(),
        message,
        lines,
    }
}
