//! One person's machines: what one has remembered or forgotten, the others know after a sync.

mod files;
mod forget;
mod guide;
mod hostile;
mod kill;
mod scene;
mod ssh;
