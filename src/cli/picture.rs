//! A picture of a terminal: lines as they are printed, with their colours, as an SVG.

/// Maximum number of characters of a line; longer ones go on below, as in a window of this width.
pub(crate) const COLUMNS: usize = 92;
/// In tenths.
const CELL: usize = 84;
const LINE: usize = 20;
const MARGIN: usize = 20;
/// The bar with the three dots.
const BAR: usize = 36;

const STYLE: &str = "\
    text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #d5dae1; white-space: pre }
    .bold { font-weight: bold } .dim { fill: #8b95a3 }
    .red { fill: #ff7b72 } .green { fill: #6bd07f } .yellow { fill: #e3b341 } .cyan { fill: #76c7e8 }
";

/// Draws lines, which may have escape sequences for bold, dim and colours.
pub(crate) fn svg(about: &str, lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().flat_map(|line| wrapped(line, COLUMNS)).collect();
    let width = COLUMNS * CELL / 10 + 2 * MARGIN;
    let height = BAR + lines.len() * LINE + MARGIN;
    let mut picture = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" aria-label=\"{}\">\n  <style>\n{STYLE}  </style>\n  <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#161b22\"/>\n",
        escaped(about),
    );
    for (index, colour) in ["#ff7b72", "#e3b341", "#6bd07f"].iter().enumerate() {
        let x = MARGIN + index * 18;
        picture.push_str(&format!("  <circle cx=\"{x}\" cy=\"18\" r=\"5\" fill=\"{colour}\"/>\n"));
    }
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| !line.is_empty()) {
        let y = BAR + index * LINE + LINE - 6;
        let spans = spans(line);
        picture
            .push_str(&format!("  <text x=\"{MARGIN}\" y=\"{y}\" xml:space=\"preserve\">{spans}</text>\n"));
    }
    picture.push_str("</svg>\n");
    picture
}

/// Splits a line that is too long at a space; what continues below has the same beginning (`   │ `) and style.
pub(crate) fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let (mut lines, mut rest) = (Vec::new(), line.to_owned());
    while let Some(at) = place_to_break(&rest, columns) {
        let opening: String =
            escapes(&rest[..at]).last().filter(|last| *last != "\u{1b}[0m").unwrap_or_default().to_owned();
        let begin = if rest.trim_start().starts_with('│') { "   │ " } else { "   " };
        let below = format!("{begin}{opening}{}", rest[at..].trim_start());
        lines.push(rest[..at].to_owned());
        rest = below;
    }
    lines.push(rest);
    lines
}

/// Returns where a line that does not fit has its last space that does.
fn place_to_break(line: &str, columns: usize) -> Option<usize> {
    let (mut seen, mut last, mut in_escape) = (0, None, false);
    for (at, c) in line.char_indices() {
        match c {
            '\u{1b}' => in_escape = true,
            'm' if in_escape => in_escape = false,
            _ if in_escape => {}
            _ => {
                seen += 1;
                // The margin of a quotation is no place to break.
                last = if c == ' ' && seen > 8 { Some(at) } else { last };
                if seen > columns {
                    return last;
                }
            }
        }
    }
    None
}

/// Returns the escape sequences of a text.
fn escapes(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices('\u{1b}').filter_map(|(at, _)| text[at..].split_inclusive('m').next())
}

/// Turns escape sequences into spans with classes.
fn spans(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let mut spans = escaped(parts.next().unwrap_or_default());
    let mut classes: Vec<&str> = Vec::new();
    for part in parts {
        let (codes, text) = part.split_once('m').unwrap_or(("", part));
        for code in codes.split(';') {
            match code {
                "1" => classes.push("bold"),
                "2" => classes.push("dim"),
                "31" => classes.push("red"),
                "32" => classes.push("green"),
                "33" => classes.push("yellow"),
                "36" => classes.push("cyan"),
                _ => classes.clear(),
            }
        }
        match (text, classes.as_slice()) {
            ("", _) => {}
            (_, []) => spans.push_str(&escaped(text)),
            (_, classes) => {
                let (classes, text) = (classes.join(" "), escaped(text));
                spans.push_str(&format!("<tspan class=\"{classes}\">{text}</tspan>"));
            }
        }
    }
    spans
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests;
