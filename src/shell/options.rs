//! The options of programs that take a value: those before a subcommand, and those whose value is prose or data.
//!
//! From the manuals of these programs. An option that is missing costs one word, which is then taken for an operand.

/// Options with a value that may stand before the subcommand of a program.
#[rustfmt::skip]
const BEFORE_SUBCOMMAND: [(&str, &str); 52] = [
    ("git", "-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source --list-cmds"),
    ("docker", "-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey"),
    ("podman", "-c --connection --url --root --runroot --log-level --cgroup-manager --storage-driver --runtime --identity"),
    ("docker-compose", "-f --file -p --project-name --profile --env-file --project-directory -H --host -c --context --ansi --progress"),
    ("nerdctl", "-n --namespace -a --address --host --data-root --snapshotter"),
    ("kubectl", "-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout -v --cache-dir --certificate-authority --client-certificate --client-key --tls-server-name --profile"),
    ("oc", "-n --namespace --context --cluster --user --kubeconfig -s --server --token --as --as-group --request-timeout"),
    ("helm", "-n --namespace --kube-context --kubeconfig --kube-apiserver --kube-token --registry-config --repository-config --repository-cache --burst-limit"),
    ("npm", "--prefix -C -w --workspace --registry --userconfig --globalconfig --cache --loglevel"),
    ("pnpm", "-C --dir --filter -F --filter-prod --store-dir --reporter --loglevel --config --workspace-dir"),
    ("yarn", "--cwd --cache-folder --modules-folder --registry --use-yarnrc --mutex"),
    ("bun", "--cwd -c --config --env-file -r --preload"),
    ("cargo", "-C --config -Z --color"),
    ("go", "-C"),
    ("terraform", "-chdir"), ("tofu", "-chdir"), ("terragrunt", "--terragrunt-working-dir --terragrunt-config"),
    ("aws", "--profile --region --output --endpoint-url --query --ca-bundle --cli-read-timeout --cli-connect-timeout --color"),
    ("gcloud", "--project --account --configuration --format --verbosity --impersonate-service-account --billing-project"),
    ("az", "--subscription --output -o --query"),
    ("gh", "-R --repo --hostname"), ("glab", "-R --repo"),
    ("systemctl", "-H --host -M --machine -t --type --state -p --property -n --lines -o --output --root -s --signal"),
    ("journalctl", "-u --unit -n --lines -o --output -p --priority"),
    ("make", "-C --directory -f --file --makefile -I --include-dir -j --jobs -l -o -W"), ("gmake", "-C -f -j"),
    ("just", "-f --justfile -d --working-directory --set --shell --dotenv-path"),
    ("mvn", "-f --file -pl --projects -P -s --settings -T -rf --resume-from"),
    ("gradle", "-p --project-dir -b -c -I --init-script -x --exclude-task -g"),
    ("dotnet", "--roll-forward --fx-version"),
    ("poetry", "-C --directory -P --project"), ("uv", "--project --directory --cache-dir --config-file -p --python --color"),
    ("pip", "--proxy --retries --timeout --cache-dir --python --log"), ("pip3", "--proxy --retries --timeout --cache-dir --python --log"),
    ("conda", "-n --name -p --prefix"),
    ("bundle", "--gemfile --retry"), ("composer", "-d --working-dir"), ("mix", ""), ("brew", ""),
    ("apt", "-o -c -t --target-release"), ("apt-get", "-o -c -t --target-release"), ("dnf", "-c --repo --releasever --installroot"),
    ("ansible", "-i --inventory -m --module-name -a --args -u --user -e --extra-vars"),
    ("vault", "-address -namespace"), ("flyctl", "-a --app -c --config"), ("fly", "-a --app -c --config"), ("heroku", "-a --app -r --remote"),
    ("supabase", "--workdir --profile"), ("firebase", "-P --project --config"), ("wrangler", "-c --config -e --env --cwd"),
    ("jj", "-R --repository --at-operation --config --config-file"), ("hg", "-R --repository --cwd --config"),
];

/// Programs whose first words name what they do, and how many of them: `gh pr merge`, `aws s3 rm`.
const SUBCOMMAND_WORDS: [(&str, usize); 7] =
    [("gh", 2), ("glab", 2), ("aws", 2), ("gcloud", 2), ("az", 2), ("linear", 2), ("doctl", 2)];

/// Options with values of one program or subcommand, beside those before the subcommand. Their values are data: a
/// message that names `--force` forces nothing.
#[rustfmt::skip]
const WITH_VALUE: [(&str, &str); 46] = [
    ("git commit", "-m -F -C -c -t --author --date --fixup --squash --reuse-message --reedit-message --template --trailer --cleanup"),
    ("git tag", "-m -F -u --local-user --sort --format"), ("git merge", "-m -F -s -X --strategy --strategy-option"),
    ("git stash", "-m"), ("git notes", "-m -F"), ("git push", "-o --push-option --repo --receive-pack --exec"),
    ("git log", "--grep --author --committer --since --until --after --before --format --pretty -S -G -L -n --max-count"),
    ("git grep", "-e -f"), ("git rebase", "-s -X --onto -x --exec"), ("git clone", "-b --branch -o --origin --depth -c --config --reference -j"),
    ("git branch", "-u --set-upstream-to --sort --format"), ("git checkout", "-b -B --orphan"), ("git switch", "-c -C --orphan"),
    ("git cherry-pick", "-s -X -m --mainline"), ("git revert", "-m --mainline"), ("git blame", "-L"), ("git diff", "-S -G"), ("git show", "--format --pretty"),
    ("git worktree", "-b -B --reason"), ("git config", "-f --file --type"), ("git clean", "-e --exclude"), ("git archive", "-o --prefix --format"),
    ("hg commit", "-m -l -u -d"), ("jj commit", "-m"), ("jj describe", "-m"), ("svn commit", "-m -F"), ("bd create", "-d"),
    ("gh", "-t -b -F --json -q --jq --template -H -f"), ("glab", "-t -d -b"),
    ("docker build", "-t --tag -f --file --build-arg --target --platform -o"), ("docker run", "-v -e -p -w --name --network --env-file --entrypoint -u -h -m"),
    ("kubectl", "-f --filename -l --selector -o --output -c --container -p --patch -k --kustomize --field-selector --grace-period --timeout"),
    ("helm", "-f --values --set --set-string --set-file --version --timeout"),
    ("curl", "-o --output -H --header -d --data --data-raw --data-binary --data-urlencode -X --request -u --user -A --user-agent -e --referer -b --cookie -c --cookie-jar -x --proxy -T --upload-file -F --form -w --write-out -m --max-time -K -E --cert --key -r -y -Y -z"),
    ("wget", "-O --output-document -o -a -P --directory-prefix -U --user-agent --header --post-data -t -T"),
    ("tar", "-f --file -C --directory -T -X --exclude"), ("ssh", "-i -l -p -o -L -R -D -F -J"), ("scp", "-i -P -o -F -l -S"), ("rsync", "-e --rsh --exclude --include --filter --files-from"),
    ("grep", "-e -f -m -A -B -C -d -D --include --exclude --exclude-dir"), ("rg", "-e -f -g -t -T -m -A -B -C -r -j --glob"), ("sed", "-e -f -l"), ("awk", "-F -f -v"),
    ("psql", "-c -f -d -h -p -U -o -v -F -P"), ("mysql", "-e -h -P -u -D -p"), ("chmod", "--reference"),
];

/// Long options whose value is prose, whatever the program.
#[rustfmt::skip]
const PROSE: [&str; 16] = [
    "--message", "--title", "--body", "--description", "--subject", "--notes", "--comment", "--reason", "--grep",
    "--author", "--body-file", "--notes-file", "--summary", "--prompt", "--query", "--trailer",
];

/// Programs whose options with one dash are whole words, as in `find -name`; they have no clusters of letters.
#[rustfmt::skip]
const SINGLE_DASH: [&str; 34] = [
    "find", "gfind", "terraform", "tofu", "packer", "vault", "consul", "nomad", "java", "javac", "go", "openssl", "ffmpeg", "ffprobe",
    "convert", "magick", "xcodebuild", "xcrun", "adb", "emulator", "hugo", "swift", "mvn", "qemu-img", "qemu-system-x86_64",
    "gcc", "clang", "dotnet", "msbuild", "prometheus", "etcd", "mkfs", "dscl", "ldapmodify",
];

/// Returns the options with values that may stand before the subcommand; `None` if the program has no subcommands.
pub(super) fn before_subcommand(program: &str) -> Option<&'static str> {
    let listed = BEFORE_SUBCOMMAND.iter().find(|(name, _)| *name == program).map(|(_, options)| *options);
    listed.or_else(|| super::tables::WITH_SUBCOMMANDS.contains(&program).then_some(""))
}

/// Programs that are given any number of tasks or targets, in any order.
#[rustfmt::skip]
const WITH_TARGETS: [&str; 16] = [
    "make", "gmake", "just", "mvn", "gradle", "ant", "rake", "ninja", "task", "sbt", "nox", "invoke", "inv", "bazel", "lein", "tox",
];

/// Returns how many words name what the program does.
pub(super) fn subcommand_words(program: &str) -> usize {
    if WITH_TARGETS.contains(&program) {
        return 0;
    }
    let listed = SUBCOMMAND_WORDS.iter().find(|(name, _)| *name == program).map(|(_, count)| *count);
    listed.unwrap_or_else(|| usize::from(before_subcommand(program).is_some()))
}

/// Returns whether the next word is the value of this option.
pub(super) fn takes_value(program: &str, subcommand: &str, option: &str) -> bool {
    if option.starts_with("--") && PROSE.contains(&option) {
        return true;
    }
    let has = |options: &str| options.split_ascii_whitespace().any(|one| one == option);
    WITH_VALUE.iter().any(|(command, options)| {
        let (name, sub) = command.split_once(' ').unwrap_or((command, ""));
        name == program && (sub.is_empty() || sub == subcommand) && has(options)
    }) || option.starts_with("--") && before_subcommand(program).is_some_and(has)
}

/// Returns whether single letters behind one dash may be written together, as in `-rf`.
pub(super) fn has_clusters(program: &str) -> bool {
    !SINGLE_DASH.contains(&program)
}

/// Returns whether a word is in a list of words.
pub(super) fn contains(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}
