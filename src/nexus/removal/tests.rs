//! The command that brings a file back, as a shell reads it. That it works is shown on real repositories in `tests/it`.

use super::recovery;

#[test]
fn the_command_is_safe_to_paste() {
    let check = |path: &str, expected: &str| assert_eq!(recovery("abc123", path), expected);
    check(".nexus/memory/a-b.md", "git checkout abc123 -- .nexus/memory/a-b.md");
    check("my app/.nexus/memory/a-b.md", "git checkout abc123 -- 'my app/.nexus/memory/a-b.md'");
    check("it's/.nexus/memory/a-b.md", "git checkout abc123 -- 'it'\\''s/.nexus/memory/a-b.md'");
    check("[id]/a-b.md", "git --literal-pathspecs checkout abc123 -- '[id]/a-b.md'");
    check("$(rm x)/a-b.md", "git checkout abc123 -- '$(rm x)/a-b.md'");
}
