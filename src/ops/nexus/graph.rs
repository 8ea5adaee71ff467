//! What waits for what: as data, as a tree of text, and as a Mermaid diagram.

use std::collections::BTreeSet;

use super::PlanError;
use super::task::read;
use crate::api::nexus::{GraphEdgeWire, GraphNodeWire, GraphWire};
use crate::contract::find_circles;
use crate::model::TaskStatus;
use crate::nexus::Nexus;

/// Returns the tasks, and which waits for which.
pub(crate) fn graph(nexus: &Nexus) -> Result<GraphWire, PlanError> {
    let tasks = read(nexus)?.ok_or(PlanError::NoTasks)?;
    let ready = tasks.ready();
    let nodes = tasks.tasks.iter().map(|task| GraphNodeWire {
        id: task.id,
        title: task.title.clone(),
        status: task.status.clone(),
        ready: ready.contains(&task.id),
    });
    let edges = tasks
        .tasks
        .iter()
        .flat_map(|task| task.deps.iter().map(|dep| GraphEdgeWire { from: *dep, to: task.id }));
    Ok(GraphWire { nodes: nodes.collect(), edges: edges.collect(), circles: find_circles(&tasks) })
}

/// Draws a tree: below each task those that wait for it, each task in full once.
pub(crate) fn draw_text(graph: &GraphWire) -> Vec<String> {
    let mut drawing = Drawing { graph, seen: BTreeSet::new(), lines: Vec::new() };
    let exists = |id: u64| graph.nodes.iter().any(|node| node.id == id);
    let roots = graph
        .nodes
        .iter()
        .filter(|node| !graph.edges.iter().any(|edge| edge.to == node.id && exists(edge.from)));
    roots.for_each(|root| drawing.draw(root.id, "", ""));
    // Tasks in a circle hang below no other.
    for node in &graph.nodes {
        if !drawing.seen.contains(&node.id) {
            drawing.draw(node.id, "", "");
        }
    }
    let mut lines = drawing.lines;
    lines.extend(graph.circles.iter().map(|circle| {
        let ids: Vec<String> = circle.iter().chain(circle.first()).map(ToString::to_string).collect();
        format!("these wait for each other: {}", ids.join(" → "))
    }));
    lines
}

/// Draws a Mermaid flowchart.
pub(crate) fn draw_mermaid(graph: &GraphWire) -> Vec<String> {
    let mut lines = vec!["flowchart TD".to_owned()];
    for node in &graph.nodes {
        let title: String = node.title.chars().filter(|c| !c.is_control()).collect();
        let title =
            title.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;").replace('>', "&gt;");
        lines.push(format!("    t{}[\"{} {title}\"]:::{}", node.id, node.id, class(node)));
    }
    lines.extend(graph.edges.iter().map(|edge| format!("    t{} --> t{}", edge.from, edge.to)));
    for (class, colours) in [
        ("done", "fill:#e6f4ea,stroke:#34a853"),
        ("doing", "fill:#e8f0fe,stroke:#1a73e8"),
        ("ready", "fill:#fef7e0,stroke:#f9ab00"),
        ("waiting", "fill:#f1f3f4,stroke:#9aa0a6"),
    ] {
        lines.push(format!("    classDef {class} {colours}"));
    }
    lines
}

struct Drawing<'g> {
    graph: &'g GraphWire,
    seen: BTreeSet<u64>,
    lines: Vec<String>,
}

impl Drawing<'_> {
    /// Draws a task and what waits for it. A chain is as deep as the board is long, so this does not recurse.
    fn draw(&mut self, id: u64, stem: &str, branch: &str) {
        let mut stack = vec![(id, stem.to_owned(), branch.to_owned())];
        while let Some((id, stem, branch)) = stack.pop() {
            let Some(node) = self.graph.nodes.iter().find(|node| node.id == id) else { continue };
            let is_new = self.seen.insert(id);
            let again = if is_new { "" } else { "  (see above)" };
            let title = one_line(&node.title);
            self.lines.push(format!("{stem}{branch}{} {id}  {title}{again}", sign(node)));
            if !is_new {
                continue;
            }
            let below = match branch.as_str() {
                "" => stem.clone(),
                "├─ " => format!("{stem}│  "),
                _ => format!("{stem}   "),
            };
            let waiting: Vec<u64> =
                self.graph.edges.iter().filter(|edge| edge.from == id).map(|edge| edge.to).collect();
            let last = waiting.len().saturating_sub(1);
            let rows = waiting.into_iter().enumerate().rev();
            stack.extend(rows.map(|(at, to)| {
                (to, below.clone(), if at == last { "└─ ".to_owned() } else { "├─ ".to_owned() })
            }));
        }
    }
}

/// Maximum number of characters of a title in the tree.
const MAX_TITLE: usize = 80;

fn one_line(title: &str) -> String {
    let line: String = title.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    crate::model::shortened(&line, MAX_TITLE).into_owned()
}

fn sign(node: &GraphNodeWire) -> &'static str {
    match node.status {
        TaskStatus::Completed => "✓",
        TaskStatus::InProgress => "▶",
        _ if node.ready => "○",
        _ => "·",
    }
}

fn class(node: &GraphNodeWire) -> &'static str {
    match node.status {
        TaskStatus::Completed => "done",
        TaskStatus::InProgress => "doing",
        _ if node.ready => "ready",
        _ => "waiting",
    }
}
