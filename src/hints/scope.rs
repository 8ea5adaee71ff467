//! Reads a scope into its canonical form.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::{Fields, MOST_NAME};
use super::glob;
use super::repo::without_credentials;
use crate::model::{HintFlaw, HintScope, Os};

/// Reads a scope; reading its JSON again changes nothing.
pub(crate) fn scope(value: &Value) -> Result<HintScope, HintFlaw> {
    let fields = Fields::of(value, "scope", &FIELDS)?;
    let cwd_glob = fields.texts("cwd_glob", MOST_GLOB)?;
    let cwd_glob = cwd_glob.iter().map(|text| glob::normal_glob(text)).collect::<Result<Vec<_>, _>>()?;
    let branch = fields.texts("branch", MOST_NAME)?;
    for entry in &branch {
        glob::checked("branch", entry)?;
    }
    let repo = names(&fields.texts("repo", MOST_GLOB)?, "repo")?;
    let env_required = names(&fields.texts("env_required", MOST_NAME)?, "env_required")?;
    Ok(HintScope {
        branch: canonical(branch),
        cwd_glob: canonical(cwd_glob),
        env_match: env_match(&fields)?,
        env_required: canonical(env_required),
        os: canonical(os_list(&fields)?),
        repo: canonical(repo.iter().map(|repo| without_credentials(repo)).collect()),
    })
}

/// Reads a list of operating systems.
pub(super) fn os_list(fields: &Fields<'_>) -> Result<Vec<Os>, HintFlaw> {
    let words = Os::ALL.map(|os| (os.name(), os));
    fields.texts("os", MOST_NAME)?.iter().map(|name| fields.known_word("os", name, &words)).collect()
}

const FIELDS: [&str; 6] = ["cwd_glob", "repo", "branch", "os", "env_required", "env_match"];

const MOST_GLOB: usize = 1024;

/// So many variables can be asked for.
const MOST_VARIABLES: usize = 64;

fn env_match(fields: &Fields<'_>) -> Result<BTreeMap<String, Vec<String>>, HintFlaw> {
    let Some(value) = fields.get("env_match") else { return Ok(BTreeMap::new()) };
    let Value::Object(map) = value else {
        return Err(fields.wrong("env_match", "an object of names and values"));
    };
    if map.len() > MOST_VARIABLES {
        return Err(fields.wrong("env_match", &format!("at most {MOST_VARIABLES} names")));
    }
    map.iter().map(|(name, allowed)| Ok((variable(name)?, values(fields, allowed)?))).collect()
}

fn values(fields: &Fields<'_>, allowed: &Value) -> Result<Vec<String>, HintFlaw> {
    let texts = match allowed {
        Value::Array(values) => values.iter().map(Value::as_str).collect::<Option<Vec<_>>>(),
        value => value.as_str().map(|text| vec![text]),
    };
    // A variable that may have no value at all would hide the hint for ever.
    let texts = texts.filter(|texts| !texts.is_empty() && texts.len() <= MOST_VARIABLES);
    let texts = texts.filter(|texts| texts.iter().all(|text| text.len() <= MOST_GLOB));
    let texts = texts.ok_or_else(|| fields.wrong("env_match", "texts or lists of texts by name"))?;
    Ok(canonical(texts.into_iter().map(str::to_owned).collect()))
}

fn names(entries: &[String], field: &str) -> Result<Vec<String>, HintFlaw> {
    let flawed = entries.iter().any(|entry| entry.trim().is_empty() || entry.chars().any(char::is_control));
    match flawed {
        true => Err(HintFlaw::invalid(format!("an entry of `scope.{field}` is empty or no name"))),
        false => Ok(entries.iter().map(|entry| entry.trim().to_owned()).collect()),
    }
}

fn variable(name: &str) -> Result<String, HintFlaw> {
    match name.is_empty()
        || name.len() > MOST_NAME
        || name.contains('=')
        || name.chars().any(char::is_control)
    {
        true => Err(HintFlaw::invalid("a name in `scope.env_match` is empty or no name")),
        false => Ok(name.to_owned()),
    }
}

fn canonical<T: Ord>(mut list: Vec<T>) -> Vec<T> {
    list.sort();
    list.dedup();
    list
}

#[cfg(test)]
mod tests;
