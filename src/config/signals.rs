//! Signals that would end the process where an error is wanted.

/// Lets a write beyond a limit on file sizes fail, instead of ending the process: a hook has to answer all the same.
pub(crate) fn survive_file_limit() {
    #[cfg(unix)]
    drop(signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()));
}
