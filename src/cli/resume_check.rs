//! `nudge nexus resume-check`: does an earlier agent go on with a task, or does a new one begin?

use std::process::ExitCode;

use super::nexus::{self, ReusePolicyArg};
use super::output::{BOLD, Failure, Out};
use crate::config::env;
use crate::ops::agents;
use crate::ops::nexus::resume_check::{Asked, ResumeAnswer, resume_check};
use crate::ops::nexus::resume_check::{Decision, ResumeTier};

/// Decide whether an earlier agent continues a task, or a new one starts
///
/// A bounded agent (engineer, writer) never continues if another agent has changed its files since. Otherwise the task's
/// `owner_reuse_policy` decides, then the tier of the role. What you do not give is looked up in the tasks and in the
/// tracker of the session.
#[derive(clap::Args)]
pub(crate) struct ResumeCheckArgs {
    /// Task that gives owner, agent and policy
    #[arg(long, value_name = "ID", value_parser = nexus::id)]
    task: Option<u64>,

    /// Id of the earlier agent, as the harness gave it
    #[arg(long, value_name = "ID")]
    agent: Option<String>,

    /// Role that the task belongs to
    #[arg(long, value_name = "ROLE")]
    owner: Option<String>,

    /// File that the task is about, relative to the project; can be repeated
    #[arg(long = "file", value_name = "PATH")]
    files: Vec<String>,

    /// Tier to use instead of the role's own
    #[arg(long, value_enum)]
    tier: Option<TierArg>,

    /// Policy to use instead of the task's own
    #[arg(long, value_enum)]
    policy: Option<ReusePolicyArg>,

    /// Role of an earlier agent that is in no tracker
    #[arg(long, value_name = "ROLE", conflicts_with = "agent")]
    previous_owner: Option<String>,

    /// File that the earlier agent wrote, in addition to the tracker
    #[arg(long, value_name = "PATH")]
    touched: Vec<String>,

    /// File that others changed since, in addition to the tracker
    #[arg(long, value_name = "PATH")]
    edited: Vec<String>,

    /// Agent whose tracker to read
    #[arg(long, value_name = "ID", default_value = agents::DEFAULT)]
    harness: String,

    /// Print JSON
    #[arg(short, long)]
    json: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum TierArg {
    Persistent,
    Bounded,
    Ephemeral,
}

pub(crate) fn run(args: ResumeCheckArgs, out: &mut Out) -> Result<ExitCode, Failure> {
    let asked = Asked {
        harness: env::nexus_harness_id().unwrap_or(args.harness),
        task: args.task,
        agent_id: args.agent,
        owner: args.owner,
        previous_owner: args.previous_owner,
        tier: args.tier.map(tier),
        policy: args.policy.map(Into::into),
        files: args.files,
        touched: args.touched,
        edited: args.edited,
    };
    let answer = resume_check(&nexus::here()?, asked)?;
    if args.json {
        out.json(&answer)?;
    } else {
        show(&answer, out)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(answer: &ResumeAnswer, out: &mut Out) -> Result<(), Failure> {
    match &answer.decision {
        Decision::Resume { reread } => {
            let agent = answer.agent_id.as_deref().unwrap_or("the earlier agent");
            let again = if reread.is_empty() {
                String::new()
            } else {
                format!("; it reads again first: {}", reread.join(", "))
            };
            out.line(format_args!("{BOLD}resume{BOLD:#} {agent}{again}"))
        }
        Decision::Fresh { reason } => out.line(format_args!("{BOLD}fresh{BOLD:#}: {reason}")),
    }
}

fn tier(arg: TierArg) -> ResumeTier {
    match arg {
        TierArg::Persistent => ResumeTier::Persistent,
        TierArg::Bounded => ResumeTier::Bounded,
        TierArg::Ephemeral => ResumeTier::Ephemeral,
    }
}
