//! Programs that run another command, with what stands before it: options with values, other words, or nothing.
//!
//! The list covers what developers put before commands: privileges, environments, limits, containers, remote machines,
//! package runners, watchers. The options with values come from the manuals of these programs; an option that is
//! missing here costs one word, which is then taken for the command.

/// How a program names the command that it runs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wrapper {
    /// Its name, and the subcommands that are needed.
    pub(super) names: &'static str,
    /// Its options whose value is the next word.
    pub(super) valued: &'static str,
    /// Its options whose value is a script for a shell.
    pub(super) scripts: &'static str,
    /// The number of other words before the command.
    pub(super) operands: usize,
    pub(super) rest: WrappedRest,
}

/// What follows the options and operands of a wrapper.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum WrappedRest {
    /// The words of a command.
    Words,
    /// Like `Words`, behind `--` if there is one.
    Dashes,
    /// Words that are joined to a script.
    Script,
    /// Scripts, one in each word.
    Scripts,
    Nothing,
}

use WrappedRest::{Dashes, Nothing, Script, Scripts, Words};

const fn row(names: &'static str, valued: &'static str, operands: usize, rest: WrappedRest) -> Wrapper {
    Wrapper { names, valued, scripts: "", operands, rest }
}

/// A row with options whose values are scripts.
const fn with_scripts(
    names: &'static str,
    valued: &'static str,
    scripts: &'static str,
    rest: WrappedRest,
) -> Wrapper {
    Wrapper { names, valued, scripts, operands: 0, rest }
}

const DOCKER_RUN: &str = "-a --attach --add-host --annotation --blkio-weight --cap-add --cap-drop --cgroup-parent \
    --cgroupns --cidfile -c --cpu-shares --cpus --cpuset-cpus --cpu-period --cpu-quota --detach-keys --device --dns \
    --dns-search --entrypoint -e --env --env-file --expose --gpus --group-add --health-cmd -h --hostname --ip --ipc \
    --isolation -l --label --label-file --link --log-driver --log-opt --mac-address -m --memory --memory-swap --mount \
    --name --network --net --network-alias --oom-score-adj --pid --pids-limit --platform -p --publish --pull --restart \
    --runtime --secret --security-opt --shm-size --stop-signal --stop-timeout --storage-opt --sysctl --tmpfs --ulimit \
    -u --user --userns --uts -v --volume --volumes-from -w --workdir";
const DOCKER_EXEC: &str = "-e --env --env-file --detach-keys -u --user -w --workdir --index";
const COMPOSE_RUN: &str =
    "-e --env -u --user -w --workdir --name -v --volume -p --publish -l --label --entrypoint --index";
const SUDO: &str = "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T \
    --command-timeout -U --other-user -D --chdir -R --chroot -a --auth-type -c --login-class";
const KUBECTL_EXEC: &str = "-c --container -f --filename --pod-running-timeout -n --namespace";
const UV_RUN: &str = "--with --with-editable --with-requirements --extra --group --no-group --only-group --env-file \
    -p --python --package --project --directory --index --index-url -i --extra-index-url --config-file --refresh-package \
    --cache-dir -P --upgrade-package --resolution --prerelease --link-mode --no-extra -w";
const SSH: &str = "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -P -p -Q -R -S -W -w";

#[rustfmt::skip]
pub(super) const WRAPPERS: &[Wrapper] = &[
    // Privileges.
    row("sudo", SUDO, 0, Words), row("doas", "-u -C -a", 0, Words), row("sudo.exe", "", 0, Words),
    row("gsudo", "-u --user", 0, Words), row("pkexec", "--user", 0, Words), row("run0", "-u --user -g --group -D", 0, Words),
    with_scripts("su", "-g --group -G --supp-group -s --shell -w", "-c --command --session-command", Nothing),
    with_scripts("runuser", "-u --user -g --group -G -s --shell -w", "-c --command --session-command", Words),
    with_scripts("sg", "", "-c", Nothing),
    row("gosu", "", 1, Words), row("su-exec", "", 1, Words), row("setpriv", "--reuid --regid --groups --ruid --euid --rgid --egid", 0, Words),
    // The environment of a command.
    with_scripts("env", "-u --unset -C --chdir -P", "-S --split-string", Words),
    row("cross-env", "", 0, Words), with_scripts("cross-env-shell", "", "", Script), row("env-cmd", "-f --file -e --environments -r --rc-file", 0, Words),
    row("dotenvx run", "-f --env-file -e --env", 0, Dashes), row("dotenv run", "-f -e", 0, Dashes), row("dotenv", "-f -e -c -v -p", 0, Dashes),
    row("direnv exec", "", 1, Words), row("op run", "--env-file --account", 0, Dashes),
    row("doppler run", "-p --project -c --config -t --token", 0, Dashes), row("infisical run", "--env --path --projectId --command", 0, Dashes),
    row("aws-vault exec", "-d --duration --region --prompt", 1, Dashes), row("chamber exec", "", 1, Dashes),
    row("teller run", "-c", 0, Dashes), row("envchain", "", 1, Words), row("vault-exec", "", 0, Dashes),
    with_scripts("sops exec-env", "", "", Scripts), row("with-env", "", 0, Words),
    // Builtins of shells.
    row("command", "", 0, Words), row("builtin", "", 0, Words), row("exec", "-a", 0, Words), row("noglob", "", 0, Words),
    row("nocorrect", "", 0, Words), row("and", "", 0, Words), row("or", "", 0, Words), row("not", "", 0, Words),
    row("begin", "", 0, Words), row("time", "-f --format -o --output", 0, Words), row("gtime", "-f --format -o --output", 0, Words),
    row("eval", "", 0, Script), row("trap", "", 0, Scripts), row("coproc", "", 0, Words), row("-", "", 0, Words),
    // How a command runs.
    row("nohup", "", 0, Words), row("nice", "-n --adjustment", 0, Words), row("ionice", "-c --class -n --classdata -p --pid -P -u", 0, Words),
    row("timeout", "-k --kill-after -s --signal", 1, Words), row("gtimeout", "-k --kill-after -s --signal", 1, Words),
    row("stdbuf", "-i --input -o --output -e --error", 0, Words), row("gstdbuf", "-i --input -o --output -e --error", 0, Words),
    row("setsid", "", 0, Words), row("chronic", "", 0, Words), row("unbuffer", "", 0, Words), row("ifne", "", 0, Words),
    with_scripts("flock", "-w --wait --timeout -E --conflict-exit-code", "-c --command", Words),
    row("caffeinate", "-t -w", 0, Words), row("systemd-inhibit", "--what --who --why --mode", 0, Words),
    row("systemd-run", "-u --unit -p --property -t --slice -E --setenv -M --machine -H --host --uid --gid --nice --working-directory --description --on-calendar --on-active", 0, Words),
    row("taskset", "", 1, Words), row("chrt", "", 1, Words), row("numactl", "-i -m -N -C -p", 0, Words), row("cpulimit", "-l -e -p", 0, Dashes),
    row("cgexec", "-g", 0, Words), row("prlimit", "", 0, Words), row("choom", "-n", 0, Dashes), row("arch", "-e -d", 0, Words),
    row("linux32", "", 0, Words), row("linux64", "", 0, Words), row("setarch", "", 1, Words), row("xvfb-run", "-n -e -f -p -s --server-args -w", 0, Words),
    row("dbus-run-session", "--config-file", 0, Dashes), row("ssh-agent", "-a -t -E -P", 0, Words), row("fakeroot", "-i -s -l -u", 0, Words),
    row("eatmydata", "", 0, Words), row("faketime", "-f", 1, Words), row("torsocks", "", 0, Words), row("torify", "", 0, Words),
    row("proxychains", "-f", 0, Words), row("proxychains4", "-f", 0, Words), row("rlwrap", "-C -f -H -s", 0, Words),
    row("winpty", "", 0, Words), row("dumb-init", "-r --rewrite", 0, Words), row("tini", "-p", 0, Words), row("catchsegv", "", 0, Words),
    row("strace", "-e -o -p -s -u -E -P -a -b -I -O -S", 0, Words), row("ltrace", "-e -o -p -s -u -l -n", 0, Words), row("dtruss", "-n -p", 0, Words),
    row("valgrind", "", 0, Words), row("perf stat", "-e -r -o -C -p -t -x", 0, Words), row("perf record", "-e -F -o -c -C -p -t", 0, Words),
    row("gdb", "-ex -x", 0, Words), row("catch", "", 0, Words), row("rtk", "", 0, Words), row("rtk proxy", "", 0, Words), row("snip", "", 0, Words),
    with_scripts("script", "-I --log-in -O --log-out -B --log-io -T --log-timing -m -o -E", "-c --command", Nothing),
    row("xcrun", "--sdk --toolchain -sdk", 0, Words), row("busybox", "", 0, Words), row("toybox", "", 0, Words), row("start", "", 0, Words),
    row("hyperfine", "-w --warmup -m --min-runs -M --max-runs -r --runs --export-json --export-markdown --export-csv -n --command-name -S --shell -L --parameter-list -P --style", 0, Scripts),
    // Other roots and machines.
    row("chroot", "", 1, Words), row("unshare", "-S -G -R -w --root --wd --map-user --map-group", 0, Words),
    row("nsenter", "-t --target -S -G -w --wd", 0, Words), row("bwrap", "--bind --ro-bind --dev --proc --chdir --setenv --unsetenv --tmpfs", 0, Dashes),
    row("firejail", "", 0, Words), row("proot", "-r -b -w", 0, Words), row("flatpak-spawn", "", 0, Words),
    row("toolbox run", "-c --container -d -r", 0, Words), row("distrobox enter", "-n --name", 1, Dashes), row("distrobox-enter", "-n --name", 1, Dashes),
    row("lxc exec", "--env --cwd --user --group", 1, Dashes), row("incus exec", "--env --cwd --user --group", 1, Dashes), row("multipass exec", "-d", 1, Dashes),
    row("docker exec", DOCKER_EXEC, 1, Words), row("podman exec", DOCKER_EXEC, 1, Words), row("nerdctl exec", DOCKER_EXEC, 1, Words),
    row("docker container exec", DOCKER_EXEC, 1, Words), row("docker container run", DOCKER_RUN, 1, Words),
    row("docker run", DOCKER_RUN, 1, Words), row("podman run", DOCKER_RUN, 1, Words), row("nerdctl run", DOCKER_RUN, 1, Words),
    row("docker compose exec", COMPOSE_RUN, 1, Words), row("docker compose run", COMPOSE_RUN, 1, Words),
    row("podman compose exec", COMPOSE_RUN, 1, Words), row("podman compose run", COMPOSE_RUN, 1, Words),
    row("docker-compose exec", COMPOSE_RUN, 1, Words), row("docker-compose run", COMPOSE_RUN, 1, Words),
    row("kubectl exec", KUBECTL_EXEC, 1, Dashes), row("oc exec", KUBECTL_EXEC, 1, Dashes), row("oc rsh", KUBECTL_EXEC, 1, Words),
    row("kubectl run", "--image --env -n --namespace --restart --overrides", 1, Dashes), row("kubectl debug", "--image -c --container -n", 1, Dashes),
    row("ssh", SSH, 1, Script), row("autossh", "-M -B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -R -S -W -w", 1, Script), row("mosh", "-p", 1, Dashes),
    row("et", "-c -p", 1, Script), with_scripts("vagrant ssh", "", "-c --command", Nothing), with_scripts("fly ssh console", "-a --app", "-C --command", Nothing),
    with_scripts("gcloud compute ssh", "--zone --project", "--command", Nothing), row("gh codespace ssh", "-c --codespace", 0, Dashes),
    row("heroku run", "-a --app -s --size -r --remote", 0, Words), row("railway run", "-s --service -e --environment", 0, Words), row("sshpass", "-p -f -P", 0, Words),
    row("wsl", "-d --distribution -u --user --cd", 0, Dashes), row("wsl.exe", "-d --distribution -u --user --cd", 0, Dashes),
    // Many times, or when something changes.
    row("watch", "-n --interval -d -q --equexit", 0, Script), row("viddy", "-n --interval", 0, Script), row("entr", "", 0, Words),
    row("watchexec", "-w --watch -e --exts -i --ignore -s --signal -d --debounce -f --filter", 0, Dashes),
    with_scripts("nodemon", "-w --watch -e --ext -i --ignore -d --delay", "-x --exec", Nothing), with_scripts("cargo watch", "-w --watch -i --ignore", "-s --shell", Dashes),
    row("concurrently", "-n --names -c --prefix-colors -p --prefix --kill-others-on-fail", 0, Scripts), row("retry", "-t -d -n", 0, Dashes),
    row("tmux new-session", "-s -n -c -e -t -x -y -F -f", 0, Script), row("tmux new", "-s -n -c -e -t -x -y -F -f", 0, Script),
    row("tmux new-window", "-n -c -e -t -F", 0, Script), row("tmux neww", "-n -c -e -t -F", 0, Script), row("tmux split-window", "-c -e -t -l -F", 0, Script),
    row("tmux respawn-pane", "-c -e -t", 0, Script), row("tmux run-shell", "-d -t", 0, Script), row("tmux send-keys", "-t -N -c", 0, Scripts), row("tmux send", "-t -N -c", 0, Scripts),
    row("screen", "-S -c -e -h -p -s -t -T", 0, Words), row("abduco", "-e", 1, Words), row("dtach", "-E", 1, Words), row("zellij run", "-n --name --cwd", 0, Dashes),
    // Version managers, package runners and their environments.
    row("npx", "-p --package --cache --registry -w --workspace", 0, Words), with_scripts("npx", "-p --package", "-c --call", Nothing),
    row("bunx", "-p --package", 0, Words), row("bun x", "-p --package", 0, Words), row("uvx", "--from --with --python -p --index-url", 0, Words), row("pnpx", "", 0, Words),
    row("pnpm exec", "--filter -F -C --dir", 0, Words), row("pnpm dlx", "--package", 0, Words), row("yarn exec", "", 0, Words), row("yarn dlx", "-p --package", 0, Words),
    with_scripts("npm exec", "-p --package -w --workspace", "-c --call", Dashes), with_scripts("npm x", "-p --package -w --workspace", "-c --call", Dashes),
    row("lerna exec", "--scope --ignore", 0, Dashes), row("nx exec", "", 0, Dashes), row("corepack", "", 0, Words), row("turbo exec", "", 0, Dashes),
    row("uv run", UV_RUN, 0, Words), row("uv tool run", "--from --with --python -p", 0, Words), row("poetry run", "-C --directory -P --project", 0, Words),
    row("pipenv run", "--python --pypi-mirror", 0, Words), row("pdm run", "-p --project -s --site-packages", 0, Words), row("hatch run", "-e --env", 0, Words),
    row("rye run", "--pyproject", 0, Words), row("pixi run", "-e --environment --manifest-path", 0, Words), row("pipx run", "--spec --python --index-url", 0, Words),
    row("conda run", "-n --name -p --prefix --cwd", 0, Words), row("mamba run", "-n --name -p --prefix --cwd", 0, Words), row("micromamba run", "-n --name -p --prefix --cwd", 0, Words),
    row("bundle exec", "--gemfile", 0, Words), row("rbenv exec", "", 0, Words), row("pyenv exec", "", 0, Words), row("asdf exec", "", 0, Words), row("rvm", "", 2, Words),
    with_scripts("mise exec", "-C --cd -E --env -j --jobs", "-c --command", Dashes), with_scripts("mise x", "-C --cd -E --env -j --jobs", "-c --command", Dashes),
    row("nvm exec", "", 1, Words), row("fnm exec", "--using", 0, Dashes), row("volta run", "--node --npm --yarn", 0, Words), row("rustup run", "", 1, Words),
    with_scripts("nix-shell", "-p --packages -A --attr -I --arg", "--run --command", Nothing),
    with_scripts("nix develop", "-f --file --profile -I", "", Nothing), row("devbox run", "-c --config -e --env", 0, Dashes), row("devenv shell", "", 0, Dashes),
    row("guix shell", "-m -D -L", 0, Dashes), row("mix cmd", "", 0, Words), row("sbt-shell", "", 0, Words), row("cargo-with", "", 0, Words),
    // Git runs commands too.
    row("git submodule foreach", "", 0, Script), row("git bisect run", "", 0, Words),
    with_scripts("git rebase", "-s --strategy -X --onto", "-x --exec", Nothing),
    with_scripts("git filter-branch", "", "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter", Nothing),
];

/// Shells of the POSIX kind and fish, which run a text after `-c` or from standard input.
#[rustfmt::skip]
pub(super) const POSIX_SHELLS: [&str; 14] = [
    "sh", "bash", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash", "yash", "elvish", "nu", "xonsh", "osh",
];

pub(super) const POWERSHELLS: [&str; 2] = ["powershell", "pwsh"];

/// Programs that run the standard input at another time.
pub(super) const LATER_SHELLS: [&str; 2] = ["at", "batch"];
