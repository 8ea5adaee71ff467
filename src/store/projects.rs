//! Projects: which folders are one, by what identifies their repositories, and what the user said about them.
//!
//! Every row of `projects` is a folder under a name, and keeps both. The folders of one project have the same `same_as`.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, params};

use super::{Reader, Result, Store, row};
use crate::model::{KnownProject, Project, Recognition, RepositoryId, Timestamp};

/// At most this many new folders are looked at after a drain; a hook has seen one or two.
const MAX_IDENTIFIED: i64 = 8;

/// A folder that is known, with what was recognised in it.
struct KnownFolder {
    id: i64,
    repository: RepositoryId,
}

/// A folder as it is listed.
struct ListedFolder {
    project: i64,
    name: String,
    root: Option<String>,
    origin: Option<String>,
    title: Option<String>,
    observations: usize,
    last_at: Option<Timestamp>,
}

impl Reader {
    /// Returns the ids of all folders of a project: without a root, of all projects that have this name in some folder.
    pub(super) fn project_ids(&self, project: &Project) -> Result<Vec<i64>> {
        let sql = "SELECT id FROM project_identities WHERE same_as IN (
                 SELECT same_as FROM project_identities JOIN projects USING (id)
                 WHERE (name = ?1 AND (?2 IS NULL OR root = ?2 AND NOT replaced)) OR (?2 IS NULL AND title = ?1)
                 UNION SELECT same_as FROM project_identities WHERE origin = ?3
                 UNION SELECT same_as FROM project_identities WHERE birth = ?4 AND (origin IS NULL OR ?3 IS NULL)
             ) ORDER BY id";
        // A folder that was moved is recognised before anything happens in it.
        let repository = project.repository.as_ref();
        let origin = repository.and_then(|repository| repository.origin.as_ref());
        let first_commit = repository.and_then(RepositoryId::first_commit);
        let mut statement = self.connection.prepare_cached(sql)?;
        let params = (&project.name, &project.root, origin, first_commit);
        let rows = statement.query_map(params, |row| row.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the ids of all folders of the project that has this root, or else this name.
    pub(crate) fn folder_ids(&self, word: &str) -> Result<Vec<i64>> {
        for column in ["root", "coalesce(title, name)"] {
            let sql = format!(
                "SELECT id FROM project_identities WHERE same_as IN (
                     SELECT same_as FROM project_identities JOIN projects USING (id) WHERE {column} = ?1
                 ) ORDER BY id"
            );
            let mut statement = self.connection.prepare_cached(&sql)?;
            let ids =
                statement.query_map([word], |row| row.get(0))?.collect::<rusqlite::Result<Vec<i64>>>()?;
            if !ids.is_empty() {
                return Ok(ids);
            }
        }
        Ok(Vec::new())
    }

    /// Returns an SQL condition for the rows of a project.
    pub(super) fn of_project(&self, project: &Project) -> Result<String> {
        let ids: Vec<String> = self.project_ids(project)?.iter().map(i64::to_string).collect();
        Ok(format!("project_id IN ({})", ids.join(", ")))
    }

    /// Returns all names that projects have or had.
    pub(crate) fn project_names(&self) -> Result<Vec<String>> {
        let sql =
            "SELECT name FROM projects UNION SELECT title FROM project_identities WHERE title IS NOT NULL";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map([], |row| row::text(row, 0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the name that the user gave a project.
    pub(crate) fn project_title(&self, project: &Project) -> Result<Option<String>> {
        let sql = format!(
            "SELECT title FROM project_identities WHERE title IS NOT NULL AND {} LIMIT 1",
            self.of_project(project)?.replace("project_id", "id")
        );
        Ok(self.connection.query_row(&sql, [], |row| row::text(row, 0)).optional()?)
    }

    /// Returns the id of the folder that was added last.
    pub(crate) fn last_folder(&self) -> Result<i64> {
        let sql = "SELECT coalesce(max(id), 0) FROM projects";
        Ok(self.connection.prepare_cached(sql)?.query_row([], |row| row.get(0))?)
    }

    /// Returns the folders that were added after another one, and of which nobody knows what repository they have.
    pub(crate) fn unidentified_since(&self, last: i64) -> Result<Vec<Project>> {
        let sql = "SELECT name, root FROM projects JOIN project_identities USING (id)
             WHERE id > ?1 AND root IS NOT NULL AND origin IS NULL AND birth IS NULL ORDER BY id LIMIT ?2";
        let mut statement = self.connection.prepare_cached(sql)?;
        let rows = statement.query_map(params![last, MAX_IDENTIFIED], |row| {
            Ok(Project { name: row::text(row, 0)?, root: row::optional_text(row, 1)?, repository: None })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns all projects, the one with the latest observation first.
    pub(crate) fn known_projects(&self) -> Result<Vec<KnownProject>> {
        Ok(self.known_by_id()?.into_iter().map(|(_, known)| known).collect())
    }

    /// Returns the projects that a name, a folder or an address means, each with its id.
    fn projects_called(&self, word: &str) -> Result<Vec<(i64, KnownProject)>> {
        let mut known = self.known_by_id()?;
        let origin = crate::model::repo::canonical(word);
        known.retain(|(_, known)| {
            known.name == word
                || known.other_names.iter().any(|name| name == word)
                || known.roots.iter().any(|root| root == word)
                || origin.is_some() && known.origin == origin
                || known.origin.as_deref() == Some(word)
        });
        // A name that is in use means that project, not one that had it earlier.
        if known.iter().any(|(_, known)| known.name == word) {
            known.retain(|(_, known)| known.name == word);
        }
        Ok(known)
    }

    /// Returns where the projects are that a name, a folder or an address means: one place for each.
    pub(crate) fn places_called(&self, word: &str) -> Result<Vec<String>> {
        let place =
            |known: KnownProject| known.roots.into_iter().next().or(known.origin).unwrap_or(known.name);
        let mut places: Vec<_> =
            self.projects_called(word)?.into_iter().map(|(_, known)| place(known)).collect();
        places.sort_unstable();
        Ok(places)
    }

    /// Returns the project that has this folder or this address.
    pub(crate) fn project_called(&self, word: &str) -> Result<Option<Project>> {
        let found = self.projects_called(word)?;
        let [(project, _)] = &found[..] else { return Ok(None) };
        let sql = "SELECT name, root FROM projects JOIN project_identities USING (id)
             WHERE same_as = ?1 AND NOT replaced ORDER BY id DESC LIMIT 1";
        let read = |row: &rusqlite::Row<'_>| {
            Ok(Project { name: row::text(row, 0)?, root: row::optional_text(row, 1)?, ..Project::default() })
        };
        Ok(self.connection.query_row(sql, [project], read).optional()?)
    }

    fn known_by_id(&self) -> Result<Vec<(i64, KnownProject)>> {
        let sql = "SELECT coalesce(same_as, projects.id), name, root, origin, title,
                 (SELECT count(*) FROM observations WHERE project_id = projects.id),
                 (SELECT max(timestamp) FROM observations WHERE project_id = projects.id)
             FROM projects LEFT JOIN project_identities USING (id) ORDER BY projects.id DESC";
        let mut statement = self.connection.prepare_cached(sql)?;
        let folders = statement.query_map([], |row| {
            Ok(ListedFolder {
                project: row.get(0)?,
                name: row::text(row, 1)?,
                root: row::optional_text(row, 2)?,
                origin: row::optional_text(row, 3)?,
                title: row::optional_text(row, 4)?,
                observations: row.get(5)?,
                last_at: row.get::<_, Option<i64>>(6)?.map(Timestamp),
            })
        })?;
        let mut folders = folders.collect::<rusqlite::Result<Vec<_>>>()?;
        folders.sort_by_key(|folder| std::cmp::Reverse(folder.last_at));
        let mut known: BTreeMap<i64, KnownProject> = BTreeMap::new();
        for folder in folders {
            add(known.entry(folder.project).or_default(), folder);
        }
        let mut known: Vec<_> = known.into_iter().collect();
        known.sort_by(|(_, one), (_, two)| two.last_at.cmp(&one.last_at).then(one.name.cmp(&two.name)));
        Ok(known)
    }
}

impl Store {
    /// Says that two projects are one; returns the projects that each word means, and changes nothing unless that is
    /// exactly one of each.
    pub(crate) fn merge_projects(&mut self, from: &str, into: &str) -> Result<[Vec<KnownProject>; 2]> {
        let (from, into) = (self.projects_called(from)?, self.projects_called(into)?);
        if let ([(from, _)], [(into, known)]) = (&from[..], &into[..])
            && from != into
        {
            let title = known.name.clone();
            self.write(|connection| {
                let sql = "UPDATE project_identities SET same_as = ?2, by_hand = 1 WHERE same_as = ?1";
                connection.execute(sql, [from, into])?;
                set_title(connection, *into, &title)
            })?;
            self.sync()?;
        }
        Ok([from, into].map(|found| found.into_iter().map(|(_, known)| known).collect()))
    }

    /// Notes what identifies a folder.
    pub(crate) fn identify(&mut self, project: &Project) -> Result<()> {
        self.write(|connection| folder_id(connection, project)).map(|_| ())
    }

    /// Gives a project another name; returns the projects that the word means, and changes nothing unless it is one.
    pub(crate) fn rename_project(&mut self, word: &str, title: &str) -> Result<Vec<KnownProject>> {
        let found = self.projects_called(word)?;
        if let [(project, _)] = found[..] {
            self.write(|connection| set_title(connection, project, title))?;
            self.sync()?;
        }
        Ok(found.into_iter().map(|(_, known)| known).collect())
    }
}

fn add(known: &mut KnownProject, folder: ListedFolder) {
    let name = folder.title.clone().unwrap_or_else(|| folder.name.clone());
    if known.name.is_empty() {
        known.name.clone_from(&name);
    }
    for name in [name, folder.name] {
        if name != known.name && !known.other_names.contains(&name) {
            known.other_names.push(name);
        }
    }
    if let Some(root) = folder.root.filter(|root| !known.roots.contains(root)) {
        known.roots.push(root);
    }
    known.origin = known.origin.take().or(folder.origin);
    known.observations += folder.observations;
    known.last_at = known.last_at.max(folder.last_at);
}

fn set_title(connection: &Connection, project: i64, title: &str) -> Result<()> {
    let sql = "UPDATE project_identities SET title = ?2 WHERE same_as = ?1";
    connection.prepare_cached(sql)?.execute(params![project, title])?;
    Ok(())
}

/// Returns the id of a folder under its name; adds the folder if it is new, and notes what its repository shows.
pub(super) fn folder_id(connection: &Connection, project: &Project) -> Result<i64> {
    let seen = project.repository.clone().unwrap_or_default();
    let known = known_folders(connection, project)?;
    let current = known.first().filter(|folder| folder.repository.recognise(&seen) == Recognition::Same);
    let is_told = |folder: &&KnownFolder| {
        seen.origin.is_some() && folder.repository.origin == seen.origin
            || seen.birth.is_some() && folder.repository.birth == seen.birth
    };
    let id = match current.or_else(|| known.iter().find(is_told)) {
        Some(folder) => folder.id,
        None => add_folder(connection, project)?,
    };
    let is_new = known.iter().all(|folder| folder.id != id);
    if known.len() + usize::from(is_new) > 1 {
        let sql = "UPDATE project_identities SET replaced = id <> ?1
             WHERE id IN (SELECT id FROM projects WHERE name = ?2 AND root IS ?3)";
        connection.prepare_cached(sql)?.execute(params![id, project.name, project.root])?;
    }
    if seen.is_private {
        separate(connection, id)?;
    } else if is_new || project.repository.is_some() {
        let sql = "UPDATE project_identities SET origin = coalesce(?2, origin), birth = coalesce(?3, birth)
             WHERE id = ?1";
        connection.prepare_cached(sql)?.execute(params![id, seen.origin, seen.birth])?;
        join(connection, id, project.root.as_deref(), &seen)?;
    }
    Ok(id)
}

/// Returns the id of a folder of another machine; adds the folder if it is new. What is in a folder of this machine is
/// not changed by what another machine has at the same place.
pub(super) fn foreign_folder_id(connection: &Connection, project: &Project) -> Result<i64> {
    let seen = project.repository.clone().unwrap_or_default();
    let known = known_folders(connection, project)?;
    let is_same = |folder: &&KnownFolder| {
        let (one, two) = (&folder.repository, &seen);
        one == two
            || one.origin.is_some() && one.origin == two.origin
            || one.birth.is_some() && one.birth == two.birth
    };
    if let Some(folder) = known.iter().find(is_same) {
        return Ok(folder.id);
    }
    // Its first rows came before anything was recognised in it.
    let mut own =
        connection.prepare_cached("SELECT 1 FROM observations WHERE project_id = ?1 AND origin IS NULL")?;
    let mut bare = None;
    for folder in known.iter().filter(|folder| folder.repository == RepositoryId::default()) {
        bare = bare.or((!own.exists([folder.id])?).then_some(folder.id));
    }
    let id = match bare {
        Some(id) => id,
        None => add_folder(connection, project)?,
    };
    let sql = "UPDATE project_identities SET origin = ?2, birth = ?3, replaced = ?4 WHERE id = ?1";
    let is_second = bare.is_none() && !known.is_empty();
    connection.prepare_cached(sql)?.execute(params![id, seen.origin, seen.birth, is_second])?;
    // The same path on two machines may be two projects.
    join(connection, id, None, &seen)?;
    Ok(id)
}

/// Returns what was known about a folder under its name; what is there now comes first.
fn known_folders(connection: &Connection, project: &Project) -> Result<Vec<KnownFolder>> {
    let sql = "SELECT id, origin, birth FROM projects LEFT JOIN project_identities USING (id)
         WHERE name = ?1 AND root IS ?2 ORDER BY coalesce(replaced, 0), id DESC";
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map((&project.name, &project.root), |row| {
        let (origin, birth) = (row::optional_text(row, 1)?, row::optional_text(row, 2)?);
        Ok(KnownFolder { id: row.get(0)?, repository: RepositoryId { origin, birth, is_private: false } })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn add_folder(connection: &Connection, project: &Project) -> Result<i64> {
    let sql = "INSERT INTO projects (name, root) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute((&project.name, &project.root))?;
    let id = connection.last_insert_rowid();
    let sql = "INSERT OR REPLACE INTO project_identities (id, same_as) VALUES (?1, ?1)";
    connection.prepare_cached(sql)?.execute([id])?;
    Ok(id)
}

/// Joins a folder with the project that it belongs to: that of the same address, else of the same first commit, else of
/// the same folder under another name. What the user joined stays as it is.
fn join(connection: &Connection, id: i64, root: Option<&str>, seen: &RepositoryId) -> Result<()> {
    let sql = "SELECT same_as FROM project_identities WHERE id <> ?1 AND origin = ?2
         UNION ALL SELECT same_as FROM project_identities
             WHERE id <> ?1 AND birth = ?3 AND (origin IS NULL OR ?2 IS NULL)
         UNION ALL SELECT same_as FROM project_identities JOIN projects USING (id)
             WHERE id <> ?1 AND root = ?4 AND NOT replaced AND (origin IS NULL OR ?2 IS NULL OR origin = ?2)
                 AND (birth IS NULL OR ?3 IS NULL OR birth = ?3)
         LIMIT 1";
    let mut statement = connection.prepare_cached(sql)?;
    let params = params![id, seen.origin, seen.first_commit(), root];
    let Some(project) = statement.query_row(params, |row| row.get::<_, i64>(0)).optional()? else {
        return Ok(());
    };
    let sql = "UPDATE project_identities SET same_as = ?2,
             title = coalesce(title, (SELECT title FROM project_identities WHERE id = ?2))
         WHERE same_as = (SELECT same_as FROM project_identities WHERE id = ?1 AND NOT by_hand)
             AND same_as <> ?2";
    connection.prepare_cached(sql)?.execute([id, project])?;
    Ok(())
}

/// Takes a folder out of its project, unless the user put it there, and forgets by what it could be recognised.
fn separate(connection: &Connection, id: i64) -> Result<()> {
    let sql = "UPDATE project_identities SET origin = NULL, birth = NULL WHERE id = ?1";
    connection.prepare_cached(sql)?.execute([id])?;
    let sql = "UPDATE project_identities SET same_as = -id WHERE id = ?1 AND NOT by_hand";
    if connection.prepare_cached(sql)?.execute([id])? > 0 {
        choose_again(connection)?;
        connection
            .prepare_cached("UPDATE project_identities SET same_as = id WHERE same_as = -id")?
            .execute([])?;
    }
    Ok(())
}

/// Forgets what is known about folders that are forgotten.
pub(super) fn sweep(connection: &Connection) -> Result<()> {
    connection.execute("DELETE FROM project_identities WHERE id NOT IN (SELECT id FROM projects)", [])?;
    choose_again(connection)
}

/// Lets another folder stand for a project whose folder is no longer part of it.
fn choose_again(connection: &Connection) -> Result<()> {
    let sql = "UPDATE project_identities SET same_as = left.first
         FROM (SELECT same_as AS gone, min(id) AS first FROM project_identities WHERE same_as > 0
               GROUP BY same_as HAVING max(id = same_as) = 0) AS left
         WHERE same_as = left.gone";
    connection.execute(sql, [])?;
    Ok(())
}

#[cfg(test)]
mod tests;
