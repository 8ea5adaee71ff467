//! Which commands a pattern matches.

use super::{CommandPattern, CommandPatterns};
use crate::shell::{Dialect, follow};

fn patterns(sources: &[&str]) -> CommandPatterns {
    let patterns = sources.iter().map(|source| CommandPattern::new(source).unwrap()).collect();
    CommandPatterns { patterns }
}

#[track_caller]
fn check(sources: &[&str], fires: &[&str], quiet: &[&str]) {
    let patterns = patterns(sources);
    for line in fires {
        let run = follow(line, Dialect::Posix);
        assert!(!patterns.find(&run).is_empty(), "should match {line:?}: {run:#?}");
    }
    for line in quiet {
        let run = follow(line, Dialect::Posix);
        assert!(patterns.find(&run).is_empty(), "should not match {line:?}: {run:#?}");
    }
}

#[test]
fn force_pushes_are_found_however_they_are_written() {
    check(
        &["git push --force", "git push -f", "git push +*"],
        &[
            "git push --force",
            "git push origin main -f",
            "bash -c \"git push -f\"",
            "git -C . push --force",
            "git push -fu origin x",
            "git push -uf origin x",
            "git push \"--force\" origin main",
            "git push origin +main",
            "(git push -f)",
            "if true; then git push --force; fi",
            "git push --force=x",
            "sudo -u root git push -f",
            "env -i A=b git push -f",
            "timeout -k 5 10 git push -f",
            "X=--force; git push $X",
            "g=git; $g push -f",
            "CMD='git push --force'; $CMD",
            "alias gp='git push --force'; gp",
            "for f in -f --force; do git push \"$f\"; done",
            "f() { git push \"$@\"; }; f --force",
            "/usr/bin/git push -f",
            "\\git push -f",
            "g\\it pu\"sh\" '-f'",
            "git.exe push -f",
            "$'\\x67it' push -f",
            "git push \\\n  --force",
            "echo x | xargs git push -f",
            "echo -f | xargs git push",
            "echo 'git push -f' | sh",
            "printf 'git push -f\\n' | bash -s",
            "bash <<EOF\ngit push -f\nEOF",
            "bash <<< 'git push -f'",
            "cat <<'E' | sudo bash\ngit push --force\nE",
            "eval git push -f",
            "eval \"git push -f\"",
            "ssh host 'cd x && git push -f'",
            "ssh -p 22 -i key host git push -f",
            "docker exec -it -w /x app git push -f",
            "docker compose exec app git push --force",
            "kubectl exec pod -c x -- git push -f",
            "echo $(git push -f)",
            "echo `git push -f`",
            "cat <(git push -f)",
            "cat <<EOF\n$(git push -f)\nEOF",
            "x=$(git push -f)",
            "while :; do git push -f; done",
            "case x in x) git push -f;; esac",
            "! git push -f",
            "time git push -f",
            "time { git push -f; }",
            "a && b || git push -f &",
            "git push -{f,u} origin x",
            "unknown-wrapper --opt git push -f",
            "ssh-agent bash -c \"git push -f\"",
            "find . -name x -exec git push -f \\;",
            "su - me -c 'git push -f'",
            "script -qc 'git push -f' /dev/null",
            "nix-shell -p git --run 'git push -f'",
            "nix develop -c git push -f",
            "git -c alias.p='push -f' p",
            "git -c alias.p='!git push -f' p",
            "git submodule foreach 'git push -f'",
            "echo Z2l0IHB1c2ggLWYK | base64 -d | sh",
            "parallel git push ::: -f",
            "trap 'git push -f' EXIT",
            "tmux new -d 'git push -f'",
            "watch -n 5 git push -f",
            "command git push -f",
            "exec git push -f",
            "and git push -f",
            "busybox sh -c 'git push -f'",
            "[[ -f x ]] && git push -f",
            "git push --forc",
            "sh -c 'git push \"$1\"' _ -f",
            "python3 -c \"import os; os.system('git push -f')\"",
            "python3 -c 'import subprocess; subprocess.run([\"git\", \"push\", \"--force\"])'",
            "python3 - <<'E'\nimport os\nos.system(\"git push -f\")\nE",
            "perl -e 'system(\"git push -f\")'",
            "ruby -e 'system \"git push -f\"'",
            "php -r 'exec(\"git push --force\");'",
            "node -e \"require('child_process').execSync('git push -f')\"",
            "node -e \"spawnSync('git', ['push', '-f'])\"",
            "perl -e 'print `git push -f`'",
            "awk 'BEGIN { system(\"git push -f\") }'",
            "args=(push --force); git \"${args[@]}\"",
        ],
        &[
            "git push origin main && rm -f tmp.txt",
            "git commit -m \"docs: never use git push --force here\"",
            "git commit -m 'x' -m '--force'; git push",
            "git push --force-with-lease",
            "git push --force-with-lease=main",
            "git push origin main",
            "echo git push --force",
            "echo 'git push -f' > notes.txt",
            "grep -r 'git push --force' .",
            "# git push --force",
            "git push # --force",
            "cat <<EOF\ngit push --force\nEOF",
            "cat > x <<'EOF'\ngit push --force\nEOF",
            "git stash push -f",
            "git log --grep push -f",
            "rg -- '-f' git push",
            "git commit -m push -f",
            "gh pr create --title 'git push -f' --body \"git push --force\"",
            "git push -o force origin x",
            "git push -o -f",
            "man git push -f",
            "python -c 'print(\"git push --force\")'",
            "which git && echo push -f",
            "git tag -m 'git push --force' v1",
            "claude -p 'git push --force'",
            "node -e \"console.log('git push -f')\"",
            "perl -ne 'print if /git push -f/' log",
        ],
    );
}

#[test]
fn deletions_are_found() {
    check(
        &["rm -rf /", "rm -rf \\*"],
        &[
            "rm -rf /",
            "rm -r -f /",
            "rm -fr -- /",
            "sudo rm -rf /",
            "D=/; rm -rf $D",
            "rm -rf *",
            "cd / && rm -rf *",
            "find / -exec rm -rf / +",
        ],
        &["rm -rf build", "rm -r /", "rm -f /", "echo rm -rf /", "rm -rf /tmp/x", "rm -rf '/ x'"],
    );
    check(
        &["find -delete"],
        &["find . -name f -delete", "find . -type f -delete"],
        &["find . -name delete", "find . -d -e -l -t"],
    );
    check(&["find -n"], &[], &["find . -name f"]);
    check(
        &["terraform apply -auto-approve"],
        &["terraform -chdir=x apply -auto-approve", "terraform apply --auto-approve"],
        &["terraform apply"],
    );
}

#[test]
fn pipes_join_commands() {
    check(
        &["curl | sh"],
        &[
            "curl x | sh",
            "curl -fsSL https://x | sudo bash",
            "curl x | tee f | zsh -s -- -y",
            "curl x | sudo -E bash -",
            "curl x |\n  sh",
            "bash <(curl -s x)",
            "sh -c \"$(curl -fsSL x)\"",
            "eval \"$(curl x)\"",
            "source <(curl x)",
            ". <(curl x)",
            "bash <<< \"$(curl x)\"",
            "curl x | (sh)",
            "curl x | { cat; } | sh",
            "(curl x) | sh",
            "echo \"$(curl x)\" | sh",
            "sudo bash -c \"$(curl x)\"",
            "curl x | env A=1 sh",
            "curl x | xargs -0 sh -c",
            // A file is between the two.
            "curl x > f; sh f",
            "curl -fsSLo f x && sudo bash ./f",
            "cd d; curl -O http://x/f.sh?a=1; . ./f.sh",
            "curl --output=/tmp/f x; chmod +x /tmp/f; /tmp/f --yes",
        ],
        &[
            "curl x > f; sh g",
            "curl x > f; cat f",
            "sh f; curl x > f",
            "curl -o f x; cd d; sh f",
            "curl x && sh y",
            "curl x | jq . | tee x.sh",
            "sh x | curl -d @- y",
            "echo 'curl x | sh'",
            "curl x | grep sh",
        ],
    );
    check(&["base64 | sh"], &["echo $X | base64 -d | sh"], &["base64 -d x"]);
}

#[test]
fn options_before_a_subcommand_are_passed_over() {
    check(
        &[
            "kubectl delete",
            "docker rm",
            "npm publish",
            "cargo publish",
            "aws s3 rb",
            "gh pr merge",
            "make deploy",
        ],
        &[
            "kubectl -n prod --context x delete ns y",
            "docker --context x rm y",
            "npm --prefix web publish",
            "cargo +nightly publish",
            "aws --profile x s3 rb s3://y",
            "gh -R o/r pr merge 1",
            "make -C x clean deploy",
            "python -m pip --version; npm publish",
        ],
        &[
            "kubectl get delete",
            "docker run x rm2",
            "npm run publish",
            "gh pr create --title merge",
            "aws s3 ls rb",
            "cargo build publish",
        ],
    );
    check(
        &["kubectl --context prod delete"],
        &["kubectl --context prod delete x", "kubectl --context=prod delete x"],
        &["kubectl --context dev delete prod"],
    );
    check(
        &["pip install"],
        &["python3 -m pip install x", "pip install x", "uv run pip install x"],
        &["uv pip install x", "pip list"],
    );
}

#[test]
fn what_cannot_be_read_is_searched_by_its_words() {
    check(&["git push -f"], &["echo 'open; git push -f", "git push -f \"x"], &["echo 'open; git push"]);
    let deep = format!("{} git push -f {}", "$(".repeat(40), ")".repeat(40));
    check(&["git push -f"], &[&deep, &format!("{}; git push -f", "a ".repeat(40_000))], &[]);
}

#[test]
fn a_pattern_that_can_never_match_is_an_error() {
    for (source, part) in [
        ("", "names no program"),
        ("| sh", "missing beside `|`"),
        ("curl |", "missing beside `|`"),
        ("a && b", "does not join"),
        ("a; b", "does not join"),
        ("echo x > f", "redirection"),
        ("-f git", "is a flag"),
        ("A=b git", "assignment"),
        ("'git push'", "no blanks"),
        ("git 'push", "not closed"),
        ("git {a,b", "not closed"),
        ("then rm", "keyword"),
        ("git \\", "backslash"),
    ] {
        let error = CommandPattern::new(source).unwrap_err();
        assert!(error.contains(part), "{source:?}: {error}");
    }
}

#[test]
fn the_match_is_the_command_as_written() {
    let found = |source: &str, line: &str| {
        let matches = patterns(&[source]).find(&follow(line, Dialect::Posix));
        matches.into_iter().map(|found| found.written).collect::<Vec<_>>()
    };
    assert_eq!(found("git push -f", "cd x && sudo git push  -f \"$A\"; ls"), ["sudo git push  -f \"$A\""]);
    assert_eq!(found("curl | sh", "curl -s x | tee y | sh -"), ["curl -s x | sh -"]);
    assert_eq!(found("git push -f", "bash -c 'ls; git push -f'"), ["git push -f"]);
}

#[track_caller]
fn check_in(dialect: Dialect, sources: &[&str], fires: &[&str], quiet: &[&str]) {
    let patterns = patterns(sources);
    for (lines, expected) in [(fires, true), (quiet, false)] {
        for line in lines {
            let run = follow(line, dialect);
            assert_eq!(!patterns.find(&run).is_empty(), expected, "{line:?}: {run:#?}");
        }
    }
}

#[test]
fn powershell_is_a_shell() {
    check_in(
        Dialect::PowerShell,
        &["git push -f", "git push --force", "git reset --hard"],
        &[
            "git push -f",
            "& \"C:\\Program Files\\Git\\bin\\git.exe\" push --force",
            "if ($true) { git push -f }",
            "foreach ($r in 1..2) { git push --force $r }",
            "$x = '--force'; git push $x",
            "iex 'git reset --hard'",
            "Set-Location x; GIT push -f",
            "git push `\n  --force",
            "try { git push -f } catch { }",
            "cmd /c git push -f",
            "bash -c 'git push -f'",
            "pwsh -c 'git push -f'",
            "Invoke-Command -ScriptBlock { git push -f }",
            "Start-Process git -ArgumentList 'push','-f'",
            "$y = git push -f",
            "powershell -EncodedCommand ZwBpAHQAIABwAHUAcwBoACAALQBmAA==",
        ],
        &[
            "git push",
            "Write-Host 'git push -f'",
            "# git push -f",
            "<# git push -f #> ls",
            "git commit -m \"git push -f\"",
            "Select-String 'git push -f' log.txt",
            "$x = 'git push -f'",
        ],
    );
    check_in(
        Dialect::PowerShell,
        &["rm -r -f"],
        &[
            "Remove-Item -Recurse -Force C:\\x",
            "rm -r -fo x",
            "ri -rec -fo x",
            "del x -Recurse -Force",
            "gci . -r | ri -fo -r",
            "Remove-Item -Recurse:$true -Force x",
        ],
        &["Remove-Item x", "Remove-Item -Force x", "Get-ChildItem -Recurse -Force"],
    );
    check_in(
        Dialect::PowerShell,
        &["Remove-Item -Recurse"],
        &["rm -r x", "REMOVE-ITEM x -recurse", "rd x -rec"],
        &["rm x"],
    );
    check_in(
        Dialect::PowerShell,
        &["curl | iex", "iwr | sh"],
        &["iwr x | iex", "Invoke-WebRequest x | Invoke-Expression"],
        &["iwr x -OutFile y"],
    );
    check(
        &["rm -r -f"],
        &["powershell.exe -NoProfile -Command \"rm -r -fo ~\"", "pwsh -c 'Remove-Item -Recurse -Force x'"],
        &[],
    );
}

#[test]
fn the_command_interpreter_of_windows_is_a_shell() {
    check_in(
        Dialect::Cmd,
        &["git push -f", "git push --force", "git reset --hard"],
        &[
            "git push -f & echo done",
            "if exist .git git reset --hard",
            "for %r in (a b) do git push --force %r",
            "call git push -f",
            "start /b git push -f",
            "git p^ush -f",
            "(echo x && git push -f)",
            "set F=--force& git push %F%",
            "\"C:\\Program Files\\Git\\bin\\git.exe\" push -f",
        ],
        &["rem git push --force", ":: git push -f", "echo git push -f", "git commit -m \"git push -f\""],
    );
    check_in(
        Dialect::Cmd,
        &["rd /s /q"],
        &["rd /s/q %USERPROFILE%", "RMDIR /Q /S x", "cmd /c rd /s /q x"],
        &["rd x", "rd /s x"],
    );
    check(
        &["del /s /q", "rd /s"],
        &["cmd /c \"del /s /q x\"", "cmd //c rd //s x", "del /q /s x"],
        &["del x"],
    );
}

#[test]
fn a_folder_is_the_same_with_a_slash_behind_it() {
    check(
        &["rm -r {/etc,~,/home/*}"],
        &[
            "rm -rf /etc/",
            "rm -rf /etc/.",
            "rm -rf /./etc",
            "rm -rf //etc",
            "rm -rf /usr/../etc/",
            "rm -rf ~/",
            "rm -r /home/alice/",
        ],
        &["rm -rf /etcetera", "rm -rf ~x", "rm -rf /tmp/etc", "rm -rf /home/"],
    );
    check(
        &["rm -r /home/*/*"],
        &["rm -rf /home/a/b", "rm -rf /home/a/b/"],
        &["rm -rf /home/a", "rm -rf /home/a/"],
    );
}

#[test]
fn everything_in_a_temporary_or_built_folder_is_not_everything() {
    check(
        &["rm -r {.,./,\\*,./\\*,..,/,~,$HOME}", "find . -delete"],
        &[
            "rm -rf *",
            "cd src && rm -rf *",
            "cd /tmp/x && rm -rf /",
            "cd /tmp/x && rm -rf * ~",
            "cd /tmp/x/.. && rm -rf *",
            "cd build && rm -rf ..",
            "cd /tmp/x; cd -; rm -rf *",
            "(cd /tmp/x); rm -rf *",
            "find . -delete",
        ],
        &[
            "cd /tmp/x && rm -rf *",
            "cd /tmp && rm -rf x; cd x && rm -rf .",
            "mkdir -p build && cd build && rm -rf * && cmake ..",
            "cd \"$(mktemp -d)\" && rm -rf ./*",
            "cd $TMPDIR/x; rm -rf .",
            "(cd app/dist && rm -rf *)",
            "cd /var/tmp/x && find . -delete",
        ],
    );
    check(&["git add ."], &["cd /tmp/x && git add ."], &[]);
}

#[test]
fn a_quote_that_never_ends_makes_no_command_of_data() {
    check(
        &["find . -delete", "git push --force"],
        &[
            "find . -delete 'x",
            "git push --force 'x",
            "sudo git push --force \"x",
            "ls; git push --force 'x",
            "unknown-runner git push --force \"x",
        ],
        &[
            "echo \"find . -delete",
            "rg \"find . -delete",
            "git commit -m \"no git push --force",
            "grep 'git push --force",
        ],
    );
}

#[test]
fn inputs_become_words_of_what_xargs_and_parallel_run() {
    check(
        &["rm -r /"],
        &[
            "echo / | xargs rm -rf",
            "echo / | xargs -i rm -rf {}",
            "echo / | xargs -i rm -rf",
            "echo / | xargs -i{} rm -rf {}",
            "echo / | xargs --replace rm -rf {}",
            "echo / | xargs --replace= rm -rf {}",
            "echo / | xargs --replace=FOO bash -c 'rm -rf FOO'",
            "echo / | xargs --replace -t bash -c 'rm -rf {}'",
            "echo / | xargs -J % rm -rf %",
            "parallel rm -rf ::: /",
            "parallel rm -rf {} ::: /",
            "parallel rm -rf {1} ::: /",
            "parallel bash -c ::: 'rm -rf /'",
            "parallel ::: 'rm -rf /' ls",
            "echo 'rm -rf /' | parallel",
            "$SHELL -c 'rm -rf /'",
            "${SHELL} -c 'rm -rf /'",
            "RM -rf /",
        ],
        &["parallel echo ::: 'rm -rf /'", "parallel rm -rf ::: dist build", "echo 'rm -rf /' | xargs echo"],
    );
}

#[test]
fn what_a_line_writes_and_then_runs_is_part_of_it() {
    check(
        &["rm -r /"],
        &[
            "cat > /tmp/x.sh <<'E'\nrm -rf /\nE\nsh /tmp/x.sh",
            "cat > x.sh <<'E'\nrm -rf /\nE\nchmod +x x.sh && ./x.sh",
            "echo 'rm -rf /' > x.sh && bash -x ./x.sh",
            "cd d; echo 'rm -rf /' > x.sh; source x.sh",
            "echo 'rm -rf /' | tee x.sh; . ./x.sh",
            "cat > d/x.sh <<'E'\nrm -rf /\nE\nfor s in d/*; do sh \"$s\"; done",
            "bash <(echo 'rm -rf /')",
            "source <(cat <<'E'\nrm -rf /\nE\n)",
            "cat > x.py <<'E'\nimport shutil\nshutil.rmtree('/')\nE\npython3 x.py",
            "printf '#!/usr/bin/env python3\\nimport os\\nos.system(\"rm -rf /\")\\n' > x; ./x",
            "printf -v y '%s' 'rm -rf /'; bash -c \"$y\"",
            "f() { sh; }; f <<'E'\nrm -rf /\nE",
            "echo 'rm -rf /' | ssh host",
            "ssh -p 22 host <<'E'\nrm -rf /\nE",
        ],
        &[
            "cat > x.sh <<'E'\nrm -rf /\nE\ncat x.sh",
            "cat > x.sh <<'E'\nrm -rf /\nE\nsh y.sh",
            "cat > x.md <<'E'\nrm -rf /\nE\nsh build.sh x.md",
            "echo 'sh x.sh' > x.sh; sh x.sh",
            "diff <(echo 'rm -rf /') a",
            "echo 'rm -rf /' | ssh host cat",
            "bash -c 'echo hi' <(echo 'rm -rf /')",
        ],
    );
}

#[test]
fn blanks_that_a_variable_stands_for_split_words() {
    check(
        &["rm -r /"],
        &["rm${IFS}-rf${IFS}/", "rm$IFS-rf$IFS/", "rm${IFS:0:1}-rf${IFS%?}/"],
        &["echo rm${IFS}-rf${IFS}/", "\"rm${IFS}-rf${IFS}/\"", "rm$IFSX-rf /x"],
    );
}

#[test]
fn a_file_that_is_redirected_in_is_read_like_one_that_is_named() {
    check(
        &["{cat,grep,base64} .env"],
        &["cat < .env", "grep KEY <.env", "base64 0< .env | head", "cat < .env > a"],
        &["sort < .env", "cat > .env", "cat <<< .env", "npm test < .env"],
    );
}

#[test]
fn a_question_about_a_name_runs_nothing() {
    check(
        &["shred", "rm -r /"],
        &["command shred x", "command -p rm -rf /"],
        &["command -v shred", "command -V shred && echo yes", "command -pv rm -rf /"],
    );
}

#[test]
fn programs_by_their_paths_and_folders_by_their_links() {
    check(
        &["find . {-exec,-execdir} rm", "rm -r {/etc,/etc/*}"],
        &[
            "find . -exec /bin/rm {} +",
            "find . -execdir /usr/bin/rm -f {} \\;",
            "rm -rf /private/etc",
            "rm -r /private/etc/x/",
        ],
        &["find . -exec cat /bin/rm {} +", "rm -rf /private/tmp/x", "rm -rf private/etc"],
    );
}

#[track_caller]
fn check_powershell(sources: &[&str], fires: &[&str], quiet: &[&str]) {
    let patterns = patterns(sources);
    for line in fires {
        let run = follow(line, Dialect::PowerShell);
        assert!(!patterns.find(&run).is_empty(), "should match {line:?}: {run:#?}");
    }
    for line in quiet {
        let run = follow(line, Dialect::PowerShell);
        assert!(patterns.find(&run).is_empty(), "should not match {line:?}: {run:#?}");
    }
}

#[test]
fn paths_and_lists_of_powershell() {
    check_powershell(
        &["rm {-r,/s} {/,$HOME,$HOME/\\*,../..,C:/}"],
        &[
            "Remove-Item -Recurse \\",
            "Remove-Item -Recurse ..\\..",
            "Remove-Item -Recurse build, C:\\",
            "Remove-Item -Recurse C:\\,build",
            "Remove-Item -Path:C:\\ -Recurse",
            "Remove-Item -Recurse:$true -LiteralPath:C:\\",
            "Remove-Item -Recurse $env:USERPROFILE",
            "Remove-Item -Recurse ${env:UserProfile}\\*",
            "ri -r \"$env:HOMEDRIVE$env:HOMEPATH\"",
            "cmd /c 'rd /s /q %USERPROFILE%'",
        ],
        &[
            "Remove-Item -Recurse:$false C:\\",
            "Remove-Item -Recurse $env:USERPROFILE\\x",
            "Remove-Item -Recurse $env:USERPROFILES",
            "Remove-Item -Recurse build, dist",
            "Write-Output a, C:\\",
        ],
    );
    check_powershell(
        &["git push -f"],
        &["Start-Process git -ArgumentList 'push','-f'", "git push 'origin', '-f'"],
        &[],
    );
}
