//! Parses a scope into its canonical form.

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::{HintFields, MAX_NAME};
use super::glob;
use crate::model::repo::without_credentials;
use crate::model::{HintFlaw, HintScope, Os};

/// Parses a scope into canonical form; parsing the result again changes nothing.
pub(crate) fn scope(value: &Value) -> Result<HintScope, HintFlaw> {
    let fields = HintFields::of(value, "scope", &FIELDS)?;
    let cwd_glob = fields.texts("cwd_glob", MAX_GLOB)?;
    let cwd_glob = cwd_glob.iter().map(|text| glob::normalize_glob(text)).collect::<Result<Vec<_>, _>>()?;
    let branch = fields.texts("branch", MAX_NAME)?;
    for entry in &branch {
        glob::check_glob("branch", entry)?;
    }
    let repo = parse_names(&fields.texts("repo", MAX_GLOB)?, "repo")?;
    let env_required = parse_names(&fields.texts("env_required", MAX_NAME)?, "env_required")?;
    Ok(HintScope {
        branch: canonical(branch),
        cwd_glob: canonical(cwd_glob),
        env_match: parse_env_match(&fields)?,
        env_required: canonical(env_required),
        os: canonical(parse_os_list(&fields)?),
        repo: canonical(repo.iter().map(|repo| without_credentials(repo)).collect()),
    })
}

/// Parses a list of operating systems.
pub(super) fn parse_os_list(fields: &HintFields<'_>) -> Result<Vec<Os>, HintFlaw> {
    let words = Os::ALL.map(|os| (os.name(), os));
    fields.texts("os", MAX_NAME)?.iter().map(|name| fields.known_word("os", name, &words)).collect()
}

const FIELDS: [&str; 6] = ["cwd_glob", "repo", "branch", "os", "env_required", "env_match"];

const MAX_GLOB: usize = 1024;

/// Maximum number of environment variables in a scope.
const MAX_VARIABLES: usize = 64;

fn parse_env_match(fields: &HintFields<'_>) -> Result<BTreeMap<String, Vec<String>>, HintFlaw> {
    let Some(value) = fields.get("env_match") else { return Ok(BTreeMap::new()) };
    let Value::Object(map) = value else {
        return Err(fields.wrong("env_match", "an object of names and values"));
    };
    if map.len() > MAX_VARIABLES {
        return Err(fields.wrong("env_match", &format!("at most {MAX_VARIABLES} names")));
    }
    map.iter().map(|(name, allowed)| Ok((parse_variable(name)?, parse_values(fields, allowed)?))).collect()
}

fn parse_values(fields: &HintFields<'_>, allowed: &Value) -> Result<Vec<String>, HintFlaw> {
    let texts = match allowed {
        Value::Array(values) => values.iter().map(Value::as_str).collect::<Option<Vec<_>>>(),
        value => value.as_str().map(|text| vec![text]),
    };
    // A variable without any allowed value would hide the hint forever.
    let texts = texts.filter(|texts| !texts.is_empty() && texts.len() <= MAX_VARIABLES);
    let texts = texts.filter(|texts| texts.iter().all(|text| text.len() <= MAX_GLOB));
    let texts = texts
        .ok_or_else(|| fields.wrong("env_match", "an object with a text or a list of texts for each name"))?;
    Ok(canonical(texts.into_iter().map(str::to_owned).collect()))
}

fn parse_names(entries: &[String], field: &str) -> Result<Vec<String>, HintFlaw> {
    let flawed = entries.iter().any(|entry| entry.trim().is_empty() || entry.chars().any(char::is_control));
    match flawed {
        true => {
            Err(HintFlaw::invalid(format!("an entry of `scope.{field}` is empty or has control characters")))
        }
        false => Ok(entries.iter().map(|entry| entry.trim().to_owned()).collect()),
    }
}

fn parse_variable(name: &str) -> Result<String, HintFlaw> {
    match name.is_empty() || name.len() > MAX_NAME || name.contains('=') || name.chars().any(char::is_control)
    {
        true => Err(HintFlaw::invalid("a name in `scope.env_match` is not a valid variable name")),
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
