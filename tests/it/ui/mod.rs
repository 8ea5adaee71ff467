//! The viewer: the way in, what is refused, and what the page is answered.

mod acts;
mod door;
mod page;
mod report;
mod secrets;
mod stream;
mod views;
