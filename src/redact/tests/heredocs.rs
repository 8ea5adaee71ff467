//! Texts that a shell feeds to a command.

use super::clean;

#[track_caller]
fn check(text: &str, rest: &str) {
    assert_eq!(clean(text), rest);
}

#[test]
fn what_a_heredoc_feeds_to_a_client_is_removed() {
    check(
        "redis-cli <<EOF\nAUTH sunshine\nPING\nEOF",
        "redis-cli <<EOF\nAUTH [REDACTED:password]\nPING\nEOF",
    );
    check(
        "redis-cli -h h <<'END'\nauth default sunshine\nEND",
        "redis-cli -h h <<'END'\nauth default [REDACTED:password]\nEND",
    );
    check(
        "sudo passwd bob <<EOF\nsunshine\nsunshine\nEOF\nmake",
        "sudo passwd bob <<EOF\n[REDACTED:password]\n[REDACTED:password]\nEOF\nmake",
    );
    check("chpasswd <<-EOF\n\tbob:sunshine\nEOF", "chpasswd <<-EOF\n\tbob:[REDACTED:password]\nEOF");
    check(
        "docker login -u me --password-stdin r.test << EOF\nsunshine\nEOF",
        "docker login -u me --password-stdin r.test << EOF\n[REDACTED:password]\nEOF",
    );
    check(
        "ftp -n h <<EOF\nuser bob sunshine\nls\nEOF",
        "ftp -n h <<EOF\nuser bob [REDACTED:password]\nls\nEOF",
    );
    check(
        "sqlplus /nolog <<EOF\nconnect scott/tiger@db\nselect 1;\nEOF",
        "sqlplus /nolog <<EOF\nconnect scott/[REDACTED:password]@db\nselect 1;\nEOF",
    );
    check(
        "psql <<EOF\nALTER USER bob PASSWORD 'sunshine';\nEOF",
        "psql <<EOF\nALTER USER bob PASSWORD '[REDACTED:password]';\nEOF",
    );
    check("127.0.0.1:6379> AUTH sunshine", "127.0.0.1:6379> AUTH [REDACTED:password]");
}

#[test]
fn what_a_heredoc_feeds_to_other_commands_stays() {
    for text in [
        "cat > notes.txt <<EOF\nsunshine\nEOF",
        "cat >> /etc/passwd <<EOF\nbob:x:1000:1000::/home/bob:/bin/sh\nEOF",
        "redis-cli <<EOF\nSET a 1\nGET a\nEOF",
        "docker login --password-stdin <<EOF\n$TOKEN\nEOF",
        "std::cout << \"sunshine\" << std::endl;\nsunshine\n",
        "let mask = 1 << SHIFT;\nlet next = 2;\n",
    ] {
        check(text, text);
    }
}

#[test]
fn a_command_that_takes_a_secret_needs_no_digit_in_it() {
    check("redis-cli AUTH default 'sunshine'", "redis-cli AUTH default '[REDACTED:password]'");
    check(
        "ansible-vault encrypt_string 'sunshine' --name x",
        "ansible-vault encrypt_string '[REDACTED:password]' --name x",
    );
    check(r"net use \\srv\share hunter2x", r"net use \\srv\share [REDACTED:password]");
    let prose = "ansible-vault encrypt_string takes a text, and AUTH default means the default user";
    check(prose, prose);
}
