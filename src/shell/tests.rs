//! How command lines are read.

use super::{Connector, Doing, doing, parts, program};

fn programs(line: &str) -> Vec<String> {
    parts(line).iter().filter_map(program).collect()
}

#[test]
fn a_line_is_split_where_a_shell_would_split_it() {
    let split =
        |line| parts(line).into_iter().map(|part| (part.joint, part.words.join(" "))).collect::<Vec<_>>();
    assert_eq!(
        split("cd x && A=1 go test ./... 2>&1 | tail -5 || echo 'a && b'; ls > out.txt &"),
        [
            (Connector::Then, "cd x".into()),
            (Connector::And, "go test ./...".into()),
            (Connector::Pipe, "tail -5".into()),
            (Connector::Or, "echo a && b".into()),
            (Connector::Then, "ls".into()),
        ]
    );
    assert_eq!(
        split("git commit -m \"$(cat <<'EOF'\nfix: don't (break)\nEOF\n)\" && git push"),
        [(Connector::Then, "git commit -m $(…)".into()), (Connector::And, "git push".into())]
    );
    assert_eq!(
        split("cat > a.txt <<EOF\nrm -rf /\nEOF\nmake test # and more; ls"),
        [(Connector::Then, "cat".into()), (Connector::Then, "make test".into())]
    );
    assert_eq!(
        split("a \\\n  b &> log; if true; then c; fi"),
        [(Connector::Then, "a b".into()), (Connector::Then, "true".into()), (Connector::Then, "c".into()),]
    );
    // What is not closed goes to the end, and nothing is lost before it.
    assert_eq!(
        split("ls; echo 'open"),
        [(Connector::Then, "ls".into()), (Connector::Then, "echo open".into())]
    );
    assert_eq!(
        split("cd y; bash -lc 'cd x && go vet 2>&1 | tail'"),
        [
            (Connector::Then, "cd y".into()),
            (Connector::Then, "cd x".into()),
            (Connector::And, "go vet".into()),
            (Connector::Pipe, "tail".into()),
        ]
    );
    assert_eq!(split("x $(a (b"), [(Connector::Then, "x $(…)".into())]);
}

#[test]
fn hostile_lines_are_read_in_bounded_time() {
    for line in
        ["(".repeat(100_000), "$(".repeat(50_000), "<<".repeat(50_000), "a;".repeat(50_000), "\\".into()]
    {
        assert!(parts(&line).len() <= 64);
    }
}

#[test]
fn the_program_is_what_really_runs() {
    for (line, expected) in [
        ("cargo +nightly test -p a", "cargo test"),
        ("RUST_LOG=1 timeout 60 cargo test", "cargo test"),
        ("sudo -u root env A=1 apt-get install x", "apt-get install"),
        ("git -C /tmp/x status", "git status"),
        ("git --no-pager -c a=b log", "git log"),
        ("mise run lint", "mise run lint"),
        ("mise run test:ci -- -run X", "mise run test:ci"),
        ("npm run build", "npm run build"),
        ("npm test", "npm test"),
        ("pnpm --filter api test", "pnpm api test"),
        ("pnpm --filter=web build", "pnpm web build"),
        ("yarn workspace web build", "yarn web build"),
        ("npx -y tsc --noEmit", "tsc"),
        ("npx playwright test a.spec.ts", "playwright test"),
        ("make -C sub -j8 test", "make test"),
        ("just build", "just build"),
        ("uv run pytest -x", "pytest"),
        ("pdm run test", "pdm run test"),
        ("uv run --with foo pytest", "pytest"),
        ("uv pip install x", "uv pip"),
        ("poetry run mypy .", "mypy"),
        ("python3 -m pytest tests", "pytest"),
        ("python scripts/gen.py", "python gen.py"),
        ("bundle exec rspec spec/a_spec.rb", "rspec"),
        ("cargo xtask ci", "cargo xtask ci"),
        ("docker compose exec web pytest", "pytest"),
        ("docker compose -f x.yml up -d", "docker compose up"),
        ("docker exec -it db psql", "psql"),
        ("gh pr create --title x", "gh pr create"),
        ("bash -lc 'go vet ./...'", "go vet"),
        ("timeout 60 bash -c 'go vet ./...'", "go vet"),
        ("./gradlew :app:test", "gradle :app:test"),
        (".\\gradlew.bat test", "gradle test"),
        ("python manage.py test shop", "manage.py test"),
        ("node --test a.test.js", "node --test"),
        ("ruff format --check .", "ruff format"),
        ("./gradlew test --info", "gradle test"),
        ("./scripts/run.sh a", "run.sh"),
        ("node -e 'x'", "node -e"),
        ("php artisan migrate", "artisan migrate"),
        ("go build -tags=e2e ./...", "go build"),
        ("kubectl -n dev get pods", "kubectl get"),
        ("mix test test/a_test.exs:12", "mix test"),
        ("dotnet test --filter X", "dotnet test"),
    ] {
        assert_eq!(programs(line), [expected], "{line}");
    }
}

#[test]
fn looks_are_told_from_deeds() {
    for (line, expected) in [
        ("ls -la", Doing::Looking),
        ("git log --oneline", Doing::Looking),
        ("git push", Doing::Acting),
        ("gh run view 12 --log", Doing::Looking),
        ("gh pr create", Doing::Acting),
        ("sed -n 1,5p a", Doing::Looking),
        ("sed -i s/a/b/ c", Doing::Acting),
        ("cd x", Doing::Preparing),
        ("cargo --version", Doing::Looking),
        ("mise run lint", Doing::Acting),
        ("Get-Content a.log", Doing::Looking),
        ("Select-Object -Last 5", Doing::Looking),
        ("$env:CI = 1", Doing::Preparing),
    ] {
        assert_eq!(doing(&parts(line)[0]), expected, "{line}");
    }
}

#[test]
fn the_message_of_a_commit_is_read_from_its_command() {
    use super::commit_message;
    for (line, expected) in [
        ("git commit -m 'fix the login'", Some("fix the login")),
        ("git add a && git commit -qam \"fix it\" && git push", Some("fix it")),
        ("git -C sub commit --message=done", Some("done")),
        ("git commit --message done", Some("done")),
        ("git commit -m \"$(cat <<'EOF'\nfix: the list\n\nWhy.\nEOF\n)\"", Some("fix: the list\n\nWhy.")),
        ("git commit --amend --no-edit", None),
        ("git commit --dry-run -m x", None),
        ("git log --grep commit -m", None),
        ("echo git commit", None),
    ] {
        assert_eq!(commit_message(line).as_deref(), expected, "{line}");
    }
}
