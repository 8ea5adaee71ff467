//! A pause of nudge: while it lasts, hooks answer nothing and remember nothing.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::timestamp::Timestamp;

/// A pause that the user asked for with `nudge off`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pause {
    /// The folder of the paused project, which includes everything below it; `None` means everywhere.
    pub(crate) project: Option<PathBuf>,
    pub(crate) since: Timestamp,
    /// `None` means until `nudge on`.
    pub(crate) until: Option<Timestamp>,
}

impl Pause {
    /// Returns whether it lasts at this time. If the clock was set back behind its beginning, it is over: when in doubt,
    /// rules are enforced.
    pub(crate) fn lasts_at(&self, now: Timestamp) -> bool {
        now >= self.since && self.until.is_none_or(|until| now < until)
    }

    /// Returns whether it includes this folder.
    pub(crate) fn includes(&self, folder: &Path) -> bool {
        self.project.as_ref().is_none_or(|project| folder.starts_with(project))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_lasts_from_its_beginning_to_its_end() {
        let pause = Pause { project: None, since: Timestamp(100), until: Some(Timestamp(200)) };
        assert_eq!([99, 100, 199, 200].map(|now| pause.lasts_at(Timestamp(now))), [false, true, true, false]);
        let endless = Pause { until: None, ..pause };
        assert_eq!([99, 100, i64::MAX].map(|now| endless.lasts_at(Timestamp(now))), [false, true, true]);
    }

    #[test]
    fn a_pause_of_a_project_includes_what_is_below_it() {
        let pause = Pause { project: Some("/a/shop".into()), since: Timestamp(0), until: None };
        let includes = |folder: &str| pause.includes(Path::new(folder));
        assert_eq!(["/a/shop", "/a/shop/web", "/a/shop-2", "/a"].map(includes), [true, true, false, false]);
        assert!(Pause { project: None, ..pause }.includes(Path::new("/a")));
    }
}
