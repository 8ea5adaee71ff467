//! A note: a file of the project in `.nexus/memory/`, kept in git.

use super::Timestamp;

/// A note as read from its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// The file's name, as in `pattern-retry-uploads.md`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The size of the file; a very long text is read only in part.
    pub(crate) bytes: u64,
}

/// The kind of knowledge in a note; the note's name may begin with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Category {
    Empirical,
    External,
    Pattern,
}

/// The reads of one note by agents, summed over all harnesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reads {
    pub(crate) count: u64,
    /// `None` if a record has a time that cannot be parsed.
    pub(crate) last_at: Option<Timestamp>,
}

impl Note {
    /// Returns the tags of the first line, `<!-- tags: a, b -->`.
    pub(crate) fn tags(&self) -> Vec<String> {
        tags(&self.text)
    }
}

/// Parses the tags in the first line of a text.
pub(crate) fn tags(text: &str) -> Vec<String> {
    let first = text.lines().next().unwrap_or_default().trim();
    let inner = first.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->"));
    let Some(list) = inner.and_then(|inner| inner.trim().strip_prefix("tags:")) else { return Vec::new() };
    list.split(',').map(str::trim).filter(|tag| !tag.is_empty()).map(str::to_owned).collect()
}

impl Category {
    pub(crate) const ALL: [Category; 3] = [Category::Empirical, Category::External, Category::Pattern];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Category::Empirical => "empirical",
            Category::External => "external",
            Category::Pattern => "pattern",
        }
    }

    /// Describes what belongs in the category.
    pub(crate) fn about(self) -> &'static str {
        match self {
            Category::Empirical => "what this project found out by trying",
            Category::External => "what others impose: limits, quirks and words of vendors",
            Category::Pattern => "recipes for recurring work; design belongs in `.nexus/context/`",
        }
    }

    /// Returns the category that a file's name begins with.
    pub(crate) fn of(name: &str) -> Option<Category> {
        let (prefix, _) = name.split_once('-')?;
        Category::ALL.into_iter().find(|category| category.name() == prefix)
    }
}

impl std::str::FromStr for Category {
    type Err = ();

    fn from_str(text: &str) -> Result<Category, ()> {
        Category::ALL.into_iter().find(|category| category.name() == text.trim_end_matches('-')).ok_or(())
    }
}
