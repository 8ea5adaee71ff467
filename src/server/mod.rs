//! The long-lived process: answers agents over MCP. The only home of async.

mod mcp;
mod opening;
mod tools;

use std::io;
use std::path::PathBuf;

use tokio::runtime::Builder;

/// Questions that are answered at the same time; each waits for the disk on a thread of its own.
///
/// Where stdin and stdout are no pipes, two of the threads are theirs.
const MOST_THREADS: usize = 8;

/// Serves MCP on stdin and stdout until the client goes; the folder says which project is the current one.
pub(crate) fn stdio(cwd: PathBuf) -> io::Result<()> {
    // One thread moves messages, and is never kept waiting: a question may wait seconds for the database, and meanwhile
    // a ping or the end of the session must be seen.
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MOST_THREADS).build()?;
    runtime.block_on(mcp::serve(cwd));
    // The client has gone: nobody waits for what is still being looked up.
    runtime.shutdown_background();
    Ok(())
}
