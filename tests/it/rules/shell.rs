//! Files that are changed through the shell: rules about a file apply there too.

use expect_test::expect;

use crate::payload::bash;
use crate::sandbox::{BLOCK_TODO, Sandbox, rules};

#[test]
fn a_file_that_is_changed_in_place_is_written() {
    let rule = "{ name: gen, on: { hook: PreToolUse, tool: Write, file: 'gen/**' }, action: interrupt, message: 'Leave {{ file_path }}.' }";
    let sandbox = Sandbox::new().rule("a.yaml", &rules(&[rule]));
    sandbox.hook("claude-code", bash("sed -i s/a/b/ gen/a.ts")).reply(expect!["deny: Leave gen/a.ts."]);
    sandbox.hook("claude-code", bash("cp a.ts gen/a.ts")).reply(expect!["deny: Leave gen/a.ts."]);
    sandbox.hook("claude-code", bash("mv a.ts gen/")).reply(expect!["deny: Leave gen/a.ts."]);
    sandbox.hook("claude-code", bash("touch $PWD/gen/a.ts")).reply(expect!["deny: Leave gen/a.ts."]);
    sandbox.hook("claude-code", bash("mv gen/a.ts other.ts")).reply(expect!["nothing"]);
}

#[test]
fn a_file_named_by_a_variable_of_the_command_is_written() {
    let sandbox = Sandbox::new().rule("a.yaml", BLOCK_TODO);
    let command = "F=src/a.ts; cat > \"$F\" <<EOF\nTODO\nEOF";
    sandbox.hook("claude-code", bash(command)).reply(expect!["deny: Do it now (lines 1)."]);
}
