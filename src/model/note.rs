//! A note: a page of the project's memory, kept in git under `.nexus/memory/`.

use super::Timestamp;

/// A note as it stands in its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Note {
    /// The file's name, as in `pattern-retry-uploads.md`.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The size of the file, of which a very long text is read only in part.
    pub(crate) bytes: u64,
}

/// The sort of knowledge a note holds; its name may begin with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Category {
    Empirical,
    External,
    Pattern,
}

/// What is known of an agent's reads of one note, summed over all harnesses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Reads {
    pub(crate) count: u64,
    /// Unknown where a record has a time that cannot be read.
    pub(crate) last_at: Option<Timestamp>,
}

impl Note {
    /// Returns the tags of the first line, `<!-- tags: a, b -->`.
    pub(crate) fn tags(&self) -> Vec<String> {
        tags(&self.text)
    }
}

/// Reads the tags of a text's first line.
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

    /// Says what belongs there, for who has to choose.
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
