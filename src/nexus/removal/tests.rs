//! The recovery_command command, as a shell reads it. `tests/it` shows on real repositories that it works.

use super::recovery_command;

#[test]
fn the_command_is_safe_to_paste() {
    let check = |path: &str, expected: &str| assert_eq!(recovery_command("abc123", path), expected);
    check(".nexus/memory/a-b.md", "git checkout abc123 -- .nexus/memory/a-b.md");
    check("my app/.nexus/memory/a-b.md", "git checkout abc123 -- 'my app/.nexus/memory/a-b.md'");
    check("it's/.nexus/memory/a-b.md", "git checkout abc123 -- 'it'\\''s/.nexus/memory/a-b.md'");
    check("[id]/a-b.md", "git --literal-pathspecs checkout abc123 -- '[id]/a-b.md'");
    check("$(rm x)/a-b.md", "git checkout abc123 -- '$(rm x)/a-b.md'");
}
