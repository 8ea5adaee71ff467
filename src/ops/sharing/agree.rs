//! Greets the server and compares, for every stream, its last number and push with what is written down here.

use super::ground::{self, ExchangeError, new_id};
use super::plan::SharePlan;
use crate::model::{RandomId, ServerStream, StreamComparison};
use crate::store::{Store, StoreError};
use crate::team::{self, TeamHello, TeamRemedy, TeamSession};

/// Says hello until both sides agree; returns the answer, and the name of this machine on the server.
pub(super) fn greet(
    store: &mut Store,
    session: &TeamSession,
    plan: &SharePlan,
    machine: RandomId,
) -> Result<(TeamHello, RandomId), ExchangeError> {
    let mut keys = plan.keys();
    // What was taken back travels, also of a project that is not shared any more.
    for stream in store.streams()? {
        if stream.state.last > stream.state.acked && !keys.contains(&stream.project) {
            keys.push(stream.project);
        }
    }
    let hello = match session.hello(Some(machine.0), &keys) {
        // The folder was copied from another member.
        Err(error) if error.remedy == TeamRemedy::NewMachineKey => {
            let machine = rename(store, &[])?;
            return Ok((session.hello(Some(machine.0), &keys)?, machine));
        }
        answer => answer?,
    };
    if hello.oldest > team::PROTOCOL {
        return Err(ExchangeError::TooNew);
    }
    if let Some(state) = store.team_state()? {
        let is_another = state.epoch.is_some_and(|epoch| epoch.0 != hello.epoch);
        let address = ground::address_of(plan);
        match (is_another, state.url == address) {
            (true, true) => store.begin_streams_again()?,
            (true, false) => return Err(ExchangeError::AnotherServer),
            (false, false) => store.set_team_url(&address)?,
            (false, true) => {}
        }
    }
    store.set_server(RandomId(hello.epoch), &hello.name, &hello.level, i64::from(hello.version))?;
    if compare(store, &hello)? == Agreement::Reached {
        return Ok((hello, machine));
    }
    let machine = rename(store, &common_pushes(store, session, machine)?)?;
    Ok((session.hello(Some(machine.0), &keys)?, machine))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Agreement {
    Reached,
    /// Another folder has this machine's name.
    TwoWriters,
}

fn compare(store: &mut Store, hello: &TeamHello) -> Result<Agreement, StoreError> {
    for stream in store.streams()? {
        let Some(project) = hello.projects.get(&stream.project) else { continue };
        let server = ServerStream { last: project.last_seq, push: project.last_push.map(RandomId) };
        let was_pushed = store.was_pushed(stream.id, server)?;
        match stream.state.compare(server, |_| was_pushed) {
            StreamComparison::Same => {}
            StreamComparison::PendingStored => {
                if let Some(pending) = stream.state.pending {
                    store.acknowledge(stream.id, pending)?;
                }
            }
            StreamComparison::Rewound(server) => store.rewind_stream(stream.id, server)?,
            StreamComparison::TwoWriters => return Ok(Agreement::TwoWriters),
        }
    }
    Ok(Agreement::Reached)
}

/// Returns, for every stream, the last number of a push that both sides have.
fn common_pushes(
    store: &Store,
    session: &TeamSession,
    machine: RandomId,
) -> Result<Vec<(i64, i64)>, ExchangeError> {
    let mut common = Vec::new();
    for stream in store.streams()? {
        let lots = match session.lots(machine.0, &stream.project) {
            Err(error) if error.remedy == TeamRemedy::NoProject => Vec::new(),
            lots => lots?,
        };
        let mut last = None;
        for (number, push) in lots {
            let push = RandomId(push);
            let is_pending =
                stream.state.pending.is_some_and(|pending| (pending.last, pending.id) == (number, push));
            let is_ours = store.was_pushed(stream.id, ServerStream { last: number, push: Some(push) })?;
            if is_pending || is_ours {
                last = last.max(Some(number));
            }
        }
        // Without a common push, only what the server never confirmed is sent.
        common.push((stream.id, last.unwrap_or(stream.state.acked)));
    }
    Ok(common)
}

/// Takes a new name; what the server has under the old one stays there.
fn rename(store: &mut Store, common: &[(i64, i64)]) -> Result<RandomId, StoreError> {
    let all: Vec<(i64, i64)> = if common.is_empty() {
        store.streams()?.iter().map(|stream| (stream.id, stream.state.acked)).collect()
    } else {
        common.to_vec()
    };
    let machine = new_id();
    store.rename_machine(machine, &all)?;
    Ok(machine)
}
