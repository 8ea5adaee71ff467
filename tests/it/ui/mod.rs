//! The viewer: the way in, what is refused, and what the page is answered.

mod door;
mod page;
mod secrets;
mod views;
