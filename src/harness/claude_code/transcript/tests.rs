//! What the reader makes of records.
