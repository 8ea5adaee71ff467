//! What the benchmarks share: the program that users get, the process to compare with, and how times are summed up.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Builds what users get, unless `NUDGE_BENCH_NO_BUILD` is set.
pub(crate) fn dist() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("NUDGE_BENCH_NO_BUILD").is_none() {
        let built = Command::new(root.join("scripts/dist")).status().expect("scripts/dist runs");
        assert!(built.success(), "scripts/dist failed");
    }
    root.join("target/dist/nudge")
}

#[allow(dead_code, reason = "a benchmark that compares with itself starts no such process")]
/// Starts the smallest process there is, and waits for it.
pub(crate) fn run_true() -> Duration {
    let start = Instant::now();
    let status = Command::new("/bin/true").env_clear().stdin(Stdio::null()).stdout(Stdio::null()).status();
    assert!(status.expect("/bin/true runs").success());
    start.elapsed()
}

#[allow(dead_code, reason = "a benchmark of one long run has no median")]
pub(crate) fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
