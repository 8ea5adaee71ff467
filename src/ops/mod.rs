//! Deeds: one file for each thing the program does. Here thought and state meet.

pub(crate) mod browse;
pub(crate) mod check;
pub(crate) mod demo;
pub(crate) mod dispatch;
pub(crate) mod examine;
pub(crate) mod exchange;
pub(crate) mod explain;
pub(crate) mod forget;
pub(crate) mod gc;
pub(crate) mod hints;
pub(crate) mod hook;
pub(crate) mod load_rules;
pub(crate) mod look_up;
pub(crate) mod lower;
pub(crate) mod recall;
pub(crate) mod remember;
pub(crate) mod setup;
pub(crate) mod tell;
pub(crate) mod try_rules;
pub(crate) mod validate;
