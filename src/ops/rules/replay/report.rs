//! A replay as programs and people read it.

use std::collections::BTreeMap;

use super::tally::{ReplayCounts, Unreplayed};
use super::{ReplayRequest, Replayed};
use crate::api::replay::{
    FiringJson, NotReplayedJson, ReplayCountsJson, ReplayJson, ReplayedGroupJson, ReplayedRuleJson,
    UnreplayedFileJson,
};
use crate::rules::{Action, Rule};
use crate::system::clock;

impl Replayed {
    /// Counts the calls that went well and that a rule would have stopped.
    pub(crate) fn count_false_alarms(&self, rules: &[Rule]) -> usize {
        let counts = self.tally.counts.iter().filter(|((rule, ..), _)| rules.get(*rule).is_some_and(stops));
        counts.map(|(_, counts)| counts.well).sum()
    }

    /// Returns the report as JSON.
    pub(crate) fn to_json(&self, request: &ReplayRequest) -> ReplayJson {
        let (tally, rules) = (&self.tally, request.rules.as_slice());
        let replayed = rules.iter().enumerate().map(|(number, rule)| self.rule_json(number, rule));
        let firings = tally.firings.iter().map(|firing| FiringJson {
            rule: rules.get(firing.rule).map(|rule| rule.name.clone()).unwrap_or_default(),
            at: clock::iso(firing.at),
            agent: firing.harness,
            project: firing.project.clone(),
            session: firing.session.clone(),
            transcript: firing.transcript.clone(),
            tool_use_id: firing.tool_use_id.clone(),
            tool: firing.tool.clone(),
            what: firing.what.clone(),
            outcome: firing.outcome.name(),
        });
        let unreadable = self
            .unreadable
            .iter()
            .map(|(file, why)| UnreplayedFileJson { file: file.clone(), why: why.clone() });
        ReplayJson {
            since: clock::iso(request.since),
            transcripts: self.transcripts,
            bytes: self.bytes,
            sessions: tally.sessions.len(),
            calls: tally.all_calls(),
            commands: tally.commands,
            prompts: tally.prompts,
            stops: tally.stops,
            remembered: tally.remembered,
            copies: tally.copies,
            counts: tally.total(None).into(),
            false_alarms: self.count_false_alarms(rules),
            rules: replayed.collect(),
            agents: self.groups(None, |agent, _| Some(agent.to_owned())),
            projects: self.groups(None, |_, project| project.cloned()),
            firings: firings.collect(),
            not_replayed: not_replayed(&tally.unreplayed),
            unreadable: unreadable.collect(),
        }
    }

    fn rule_json(&self, number: usize, rule: &Rule) -> ReplayedRuleJson {
        let counts = self.tally.total(Some(number));
        ReplayedRuleJson {
            rule: rule.name.clone(),
            file: rule.place.file.clone(),
            line: rule.place.line,
            hook: rule.hook.name(),
            action: rule.action.name(),
            considered: self.tally.considered.get(&number).copied().unwrap_or_default(),
            counts: counts.into(),
            false_alarms: if stops(rule) { counts.well } else { 0 },
            agents: self.groups(Some(number), |agent, _| Some(agent.to_owned())),
            projects: self.groups(Some(number), |_, project| project.cloned()),
        }
    }

    /// Adds up calls and firings by a name; with a rule, only its firings.
    pub(crate) fn groups(
        &self,
        rule: Option<usize>,
        name: impl Fn(&str, Option<&String>) -> Option<String>,
    ) -> Vec<ReplayedGroupJson> {
        let mut groups: BTreeMap<Option<String>, (usize, ReplayCounts)> = BTreeMap::new();
        for ((agent, project), calls) in &self.tally.calls {
            groups.entry(name(agent, project.as_ref())).or_default().0 += calls;
        }
        for ((number, agent, project), counts) in &self.tally.counts {
            if rule.is_none_or(|rule| rule == *number) {
                groups.entry(name(agent, project.as_ref())).or_default().1.add(*counts);
            }
        }
        let groups = groups.into_iter().filter(|(_, (_, counts))| rule.is_none() || counts.fired > 0);
        let json = |(name, (calls, counts)): (Option<String>, (usize, ReplayCounts))| ReplayedGroupJson {
            name,
            calls,
            counts: counts.into(),
        };
        groups.map(json).collect()
    }
}

/// Returns whether a rule keeps a call from running.
pub(crate) fn stops(rule: &Rule) -> bool {
    rule.action != Action::Continue
}

/// Returns what could not be replayed, and why.
pub(crate) fn not_replayed(unreplayed: &Unreplayed) -> Vec<NotReplayedJson> {
    let reasons = [
        ("records that are not JSON or too long", unreplayed.unreadable_records),
        (
            "edits of files that are not in the transcript: rules on `content` saw only the new text",
            unreplayed.edits_without_file,
        ),
        ("commands that were cut when they were stored", unreplayed.cut_commands),
        ("calls in projects that nothing is remembered of", unreplayed.private_calls),
        ("events without a time", unreplayed.undated),
        ("times that a rule could not be evaluated", unreplayed.unevaluated),
        (
            "times that a rule with `after`, `without` or `times` met a session of which only commands are kept",
            unreplayed.without_session,
        ),
    ];
    let reasons = reasons.into_iter().filter(|(_, count)| *count > 0);
    reasons.map(|(reason, count)| NotReplayedJson { reason, count }).collect()
}

impl From<ReplayCounts> for ReplayCountsJson {
    fn from(counts: ReplayCounts) -> ReplayCountsJson {
        ReplayCountsJson {
            fired: counts.fired,
            failed: counts.failed,
            refused: counts.refused,
            went_well: counts.well,
            unknown: counts.unknown,
        }
    }
}
