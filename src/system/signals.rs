//! Signals that would end the process where an error is better.

/// Makes a write beyond the file size limit fail instead of ending the process: a hook must still answer.
pub(crate) fn survive_file_limit() {
    #[cfg(unix)]
    drop(signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default()));
}
