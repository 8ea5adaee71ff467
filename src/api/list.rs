//! What all commands share in their JSON: lists, times and errors.

use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::model::Timestamp;

/// A list, and how many there are in all.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct ListWire<T> {
    pub(crate) items: Vec<T>,
    /// `null` if there may be more than were read.
    pub(crate) total: Option<usize>,
}

/// An object with any names, in their given order.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct MapWire<T>(pub(crate) Vec<(String, T)>);

/// A time in RFC 3339, in UTC: `2026-01-02T03:04:05Z`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub(crate) struct IsoTime(String);

/// Why a command failed; stderr says the same in words.
#[derive(Debug, Serialize)]
pub(crate) struct ErrorWire<'a> {
    pub(crate) error: ErrorBodyWire<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum ErrorBodyWire<'a> {
    /// The server's JSON-RPC error with `code`, `message` and `data`, exactly as agents get it.
    Rpc(&'a Value),
    Failure {
        message: &'a str,
        /// What the user can do.
        #[serde(skip_serializing_if = "Option::is_none")]
        hint: Option<&'a str>,
    },
}

impl<T> ListWire<T> {
    /// A list that has everything.
    pub(crate) fn whole(items: impl IntoIterator<Item = impl Into<T>>) -> ListWire<T> {
        let items: Vec<T> = items.into_iter().map(Into::into).collect();
        let total = Some(items.len());
        ListWire { items, total }
    }

    /// A list of up to `limit` items after the first `offset`; if it is full, there may be more.
    pub(crate) fn limited(
        items: impl IntoIterator<Item = impl Into<T>>,
        offset: usize,
        limit: usize,
    ) -> ListWire<T> {
        let ListWire { items, total } = ListWire::whole(items);
        ListWire { items, total: total.filter(|count| *count < limit).map(|count| offset + count) }
    }
}

impl<T> Default for MapWire<T> {
    fn default() -> MapWire<T> {
        MapWire(Vec::new())
    }
}

impl<T: Serialize> Serialize for MapWire<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

impl<N: Into<String>, T> FromIterator<(N, T)> for MapWire<T> {
    fn from_iter<I: IntoIterator<Item = (N, T)>>(pairs: I) -> MapWire<T> {
        MapWire(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

impl From<Timestamp> for IsoTime {
    fn from(time: Timestamp) -> IsoTime {
        let time = jiff::Timestamp::from_second(time.0).unwrap_or_default();
        IsoTime(time.to_string())
    }
}

impl IsoTime {
    /// Returns a time in milliseconds since 1970.
    pub(crate) fn of_milliseconds(milliseconds: u64) -> IsoTime {
        let milliseconds = i64::try_from(milliseconds).unwrap_or(i64::MAX);
        let time = jiff::Timestamp::from_millisecond(milliseconds).unwrap_or_default();
        IsoTime(format!("{time:.3}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339() {
        assert_eq!(IsoTime::from(Timestamp(1_767_323_045)).0, "2026-01-02T03:04:05Z");
        assert_eq!(IsoTime::of_milliseconds(1_767_323_045_678).0, "2026-01-02T03:04:05.678Z");
        assert_eq!(IsoTime::from(Timestamp(i64::MAX)).0, "1970-01-01T00:00:00Z");
    }

    #[test]
    fn the_total_of_a_full_list_is_unknown() {
        let list = |offset, limit| ListWire::<u8>::limited([1, 2, 3], offset, limit).total;
        assert_eq!([list(0, 4), list(5, 4), list(0, 3)], [Some(3), Some(8), None]);
    }
}
