//! Whether nudge works, and what it costs in time.

use std::path::PathBuf;

use serde_json::Value;

use super::request::{ViewError, ViewRequest};
use super::shown::Shown;
use super::{ViewAnswer, whole};
use crate::api::view::{HealthView, HistogramBarView, HookLatencyView};
use crate::config::{paths, settings};
use crate::journal::trace;
use crate::model::{Trace, VerdictKind};
use crate::ops::doctor::{findings, report};
use crate::ops::why::{self, TIMED};

/// The first bar ends here, in microseconds; each further one ends at this many times the one before.
const FIRST_BAR_US: f64 = 150.0;
const BAR_FACTOR: f64 = 1.25;
const MAX_BARS: usize = 48;

/// `health`; with `check=1` also everything that `nudge doctor` finds.
pub(super) fn answer(request: &ViewRequest) -> Result<ViewAnswer, ViewError> {
    let traces = trace::read().traces;
    let last = &traces[traces.len().saturating_sub(TIMED)..];
    let retention = settings::load_user().0.retention;
    let bytes = |path: PathBuf| std::fs::metadata(path).map_or(0, |meta| meta.len());
    let view = HealthView {
        histogram: histogram(last),
        by_hook: why::latency(&traces)
            .into_iter()
            .map(|one| HookLatencyView {
                hook: one.hook.map(crate::model::Hook::name),
                count: one.count,
                p50_us: one.p50,
                p95_us: one.p95,
                max_us: one.max,
            })
            .collect(),
        lost: traces.iter().filter(|trace| trace.verdict == VerdictKind::Lost).count(),
        retention_days: retention.days.iter().map(|(kind, days)| (kind.name(), *days)).collect(),
        memory_bytes: paths::database().map_or(0, bytes),
    };
    if request.text("check") != Some("1") {
        return whole(&view);
    }
    let root = request.text("project").map(PathBuf::from).or_else(paths::home_dir).unwrap_or_default();
    let shown = Shown::new();
    let doctor = serde_json::to_value(report::to_json(&findings::find(root))).unwrap_or_default();
    let mut all = clean(doctor, &shown);
    if let (Value::Object(all), Ok(Value::Object(view))) = (&mut all, serde_json::to_value(&view)) {
        all.extend(view);
    }
    whole(&all)
}

fn clean(value: Value, shown: &Shown) -> Value {
    match value {
        Value::String(text) => Value::String(shown.text(&text).0),
        Value::Array(values) => values.into_iter().map(|one| clean(one, shown)).collect(),
        Value::Object(fields) => fields.into_iter().map(|(name, one)| (name, clean(one, shown))).collect(),
        other => other,
    }
}

/// Counts hooks by how long they took, on a logarithmic axis; empty bars at the end are left out.
fn histogram(traces: &[Trace]) -> Vec<HistogramBarView> {
    let end = |bar: usize| (FIRST_BAR_US * BAR_FACTOR.powi(i32::try_from(bar).unwrap_or(0))).round() as u64;
    let mut bars: Vec<HistogramBarView> =
        (0..MAX_BARS).map(|bar| HistogramBarView { to_us: end(bar), n: 0 }).collect();
    for trace in traces {
        let bar = bars.iter().position(|bar| trace.microseconds <= bar.to_us).unwrap_or(MAX_BARS - 1);
        bars[bar].n += 1;
    }
    let used = bars.iter().rposition(|bar| bar.n > 0).map_or(0, |last| last + 1);
    bars.truncate(used);
    bars
}

#[cfg(test)]
mod tests {
    use super::histogram;
    use crate::model::Trace;

    #[test]
    fn hooks_are_counted_on_a_logarithmic_axis() {
        let traces = [100, 250, 251, 600].map(|microseconds| Trace { microseconds, ..Trace::default() });
        let bars: Vec<(u64, usize)> = histogram(&traces).iter().map(|bar| (bar.to_us, bar.n)).collect();
        assert_eq!(bars, [(150, 1), (188, 0), (234, 0), (293, 2), (366, 0), (458, 0), (572, 0), (715, 1)]);
        assert!(histogram(&[]).is_empty());
    }
}
