//! Times as people read and write them, in the zone of this machine.

pub(crate) use crate::system::clock::{
    day_name, from_iso, iso, iso_day, local_time, moment, now_ms, timestamp as now,
};
pub(crate) use crate::system::moment::{clock_time, iso_duration, parse, parse_end, parse_seconds};
