//! This machine's key, by which its rows are known on other machines.

use rusqlite::{Connection, OptionalExtension};

use super::{Reader, Result, Store};
use crate::model::{MachineKey, Timestamp};

impl Reader {
    /// Returns this machine's key, if it was ever needed.
    pub(crate) fn machine_key(&self) -> Result<Option<MachineKey>> {
        key(&self.connection)
    }
}

impl Store {
    /// Returns this machine's key, and makes one if there is none.
    pub(crate) fn own_machine_key(&mut self, now: Timestamp) -> Result<MachineKey> {
        if let Some(key) = self.machine_key()? {
            return Ok(key);
        }
        self.write(|connection| {
            // Another process may have made it while this one waited for the lock.
            match key(connection)? {
                Some(key) => Ok(key),
                None => set_key(connection, now),
            }
        })
    }

    /// Replaces this machine's key: another folder has the same one, because it was copied or restored. Whatever was
    /// numbered under the old key begins again.
    pub(crate) fn renew_machine_key(&mut self, now: Timestamp) -> Result<MachineKey> {
        self.write(|connection| {
            connection.execute("DELETE FROM sync_marks", [])?;
            set_key(connection, now)
        })
    }
}

fn key(connection: &Connection) -> Result<Option<MachineKey>> {
    let mut statement = connection.prepare_cached("SELECT key FROM machine")?;
    Ok(statement.query_row([], |row| row.get(0).map(MachineKey)).optional()?)
}

fn set_key(connection: &Connection, now: Timestamp) -> Result<MachineKey> {
    let mut bytes = [0; 16];
    // Two machines with the same key would lose rows, and every supported system has a source of randomness.
    getrandom::fill(&mut bytes).expect("the system has a source of random numbers");
    let sql = "INSERT INTO machine (one, key, made_at) VALUES (1, ?1, ?2)
         ON CONFLICT (one) DO UPDATE SET key = excluded.key, made_at = excluded.made_at";
    connection.prepare_cached(sql)?.execute((bytes, now.0))?;
    Ok(MachineKey(bytes))
}

#[cfg(test)]
mod tests;
