//! Programs by what they do with their words: those that look, prepare, wrap others, or have subcommands.
//!
//! The tables cover the ecosystems that our users work in.

/// Programs that only prepare the shell or print a text.
#[rustfmt::skip]
pub(super) const PREPARING: [&str; 39] = [
    "cd", "export", "set", "source", ".", "pushd", "popd", "unset", "echo", "printf", "true", "false", ":",
    "sleep", "wait", "exit", "return", "trap", "alias", "unalias", "ulimit", "umask", "read", "test", "[",
    "[[", "for", "case", "esac", "in", "local", "declare", "shopt", "setopt", "set-location", "write-host",
    "write-output", "start-sleep", "out-null",
];

/// How a temporary folder begins that only running the command would name.
pub(super) const TEMPORARY: [&str; 4] = ["$TMPDIR", "${TMPDIR", "$(mktemp", "`mktemp"];

/// Programs that only print what is there.
#[rustfmt::skip]
pub(super) const LOOKING: [&str; 78] = [
    "ls", "cat", "bat", "less", "more", "head", "tail", "grep", "egrep", "fgrep", "rg", "ag", "ack", "find",
    "fd", "tree", "wc", "sort", "uniq", "cut", "awk", "sed", "jq", "yq", "which", "whereis", "type", "file",
    "stat", "du", "df", "ps", "top", "env", "printenv", "pwd", "whoami", "date", "diff", "cmp", "nl", "od",
    "xxd", "strings", "column", "tr", "hexdump", "lsof", "netstat", "ss", "uname", "hostname", "id", "man",
    "journalctl", "realpath", "readlink", "dirname", "basename", "eza", "exa", "tee", "rev", "comm",
    "pgrep", "curl", "dir", "findstr", "gc", "gci", "fold", "zcat", "bzcat", "xzcat", "delta", "glow", "fx", "gron",
];

/// Subcommands that only print what is there, by program.
pub(super) const LOOKING_AT: [(&str, &[&str]); 17] = [
    (
        "git",
        &[
            "status",
            "log",
            "diff",
            "show",
            "blame",
            "branch",
            "remote",
            "rev-parse",
            "rev-list",
            "ls-files",
            "ls-tree",
            "ls-remote",
            "describe",
            "reflog",
            "grep",
            "shortlog",
            "cat-file",
            "config",
            "whatchanged",
            "merge-base",
            "name-rev",
            "for-each-ref",
            "check-ignore",
            "tag",
        ],
    ),
    (
        "gh",
        &[
            "run view",
            "run list",
            "run watch",
            "pr view",
            "pr list",
            "pr diff",
            "pr checks",
            "pr status",
            "issue view",
            "issue list",
            "issue status",
            "repo view",
            "repo list",
            "api",
            "auth status",
            "search",
            "release view",
            "release list",
            "workflow view",
            "workflow list",
        ],
    ),
    (
        "glab",
        &["mr view", "mr list", "mr diff", "ci view", "ci status", "ci trace", "issue view", "issue list"],
    ),
    (
        "docker",
        &["ps", "logs", "images", "inspect", "stats", "version", "info", "compose ps", "compose logs"],
    ),
    ("podman", &["ps", "logs", "images", "inspect"]),
    ("kubectl", &["get", "describe", "logs", "top", "version", "explain", "config"]),
    ("helm", &["list", "status", "get", "history"]),
    ("systemctl", &["status", "list-units", "show", "is-active"]),
    ("npm", &["ls", "list", "view", "info", "outdated", "config", "why"]),
    ("pnpm", &["ls", "list", "why", "outdated"]),
    ("yarn", &["list", "why", "info"]),
    ("cargo", &["tree", "metadata", "search"]),
    ("go", &["env", "list", "doc", "version"]),
    ("pip", &["list", "show", "freeze"]),
    ("brew", &["list", "info", "search"]),
    ("terraform", &["show", "output", "state"]),
    ("bd", &["show", "list", "ready", "blocked", "stats"]),
];

/// Commands that run the program that follows them, after their options and this many other words.
pub(super) const WRAPPERS: [(&str, usize); 35] = [
    ("sudo", 0),
    ("doas", 0),
    ("env", 0),
    ("time", 0),
    ("nohup", 0),
    ("command", 0),
    ("exec", 0),
    ("nice", 0),
    ("ionice", 0),
    ("timeout", 1),
    ("gtimeout", 1),
    ("xvfb-run", 0),
    ("stdbuf", 0),
    ("setsid", 0),
    ("caffeinate", 0),
    ("unbuffer", 0),
    ("winpty", 0),
    ("xargs", 0),
    ("watch", 0),
    ("npx", 0),
    ("cross-env", 0),
    ("env-cmd", 0),
    ("dotenvx", 1),
    ("corepack", 0),
    ("xcrun", 0),
    ("chronic", 0),
    ("flock", 1),
    ("arch", 0),
    ("strace", 0),
    ("valgrind", 0),
    ("sudo.exe", 0),
    ("faketime", 1),
    ("wsl", 0),
    ("bunx", 0),
    ("uvx", 0),
];

/// Two words that together run the program that follows, after options and this many other words.
pub(super) const WRAPPING_PAIRS: [(&str, &str, usize); 35] = [
    ("uv", "run", 0),
    ("poetry", "run", 0),
    ("pipenv", "run", 0),
    ("pdm", "run", 0),
    ("hatch", "run", 0),
    ("rye", "run", 0),
    ("pixi", "run", 0),
    ("conda", "run", 0),
    ("bundle", "exec", 0),
    ("pnpm", "exec", 0),
    ("pnpm", "dlx", 0),
    ("yarn", "exec", 0),
    ("yarn", "dlx", 0),
    ("npm", "exec", 0),
    ("bun", "x", 0),
    ("mise", "exec", 0),
    ("mise", "x", 0),
    ("asdf", "exec", 0),
    ("direnv", "exec", 1),
    ("rustup", "run", 1),
    ("docker", "exec", 1),
    ("podman", "exec", 1),
    ("kubectl", "exec", 1),
    ("docker-compose", "exec", 1),
    ("op", "run", 0),
    ("doppler", "run", 0),
    ("dotenv", "run", 0),
    ("devbox", "run", 0),
    ("volta", "run", 0),
    ("fnm", "exec", 0),
    ("nvm", "exec", 1),
    ("pipx", "run", 0),
    ("infisical", "run", 0),
    ("rbenv", "exec", 0),
    ("pyenv", "exec", 0),
];

/// Programs whose first word names what they do.
#[rustfmt::skip]
pub(super) const WITH_SUBCOMMANDS: [&str; 175] = [
    "cargo", "git", "jj", "hg", "svn", "npm", "pnpm", "yarn", "bun", "deno", "uv", "pip", "pip3", "poetry",
    "pdm", "hatch", "conda", "go", "docker", "podman", "kubectl", "helm", "terraform", "tofu", "pulumi",
    "make", "gmake", "just", "task", "mvn", "gradle", "ant", "sbt", "lein", "bazel", "bazelisk", "buck2",
    "dotnet", "nuget", "msbuild", "bundle", "rails", "rake", "gem", "mix", "rebar3", "gleam", "brew", "apt",
    "apt-get", "dnf", "yum", "apk", "pacman", "nix", "nixos-rebuild", "swift", "xcodebuild", "pod",
    "fastlane", "flutter", "dart", "zig", "stack", "cabal", "dune", "opam", "composer", "artisan",
    "symfony", "mise", "asdf", "nx", "turbo", "lerna", "rush", "moon", "ng", "vue", "next", "vite",
    "prisma", "supabase", "vercel", "netlify", "fly", "flyctl", "heroku", "wrangler", "playwright",
    "cypress", "bd", "ruff", "biome", "pre-commit", "tox", "nox", "invoke", "inv", "poe", "nuxt", "astro", "ionic",
    "expo", "eas", "gatsby", "remix", "alembic", "django-admin", "manage.py", "sqlx", "diesel", "sea-orm-cli",
    "drizzle-kit", "knex", "typeorm", "sequelize", "dbt", "serverless", "sls", "sam", "cdk", "ansible-galaxy",
    "minikube", "kind", "k3d", "skaffold", "tilt", "argocd", "istioctl", "firebase", "amplify", "railway",
    "doctl", "vault", "consul", "packer", "vagrant", "trunk", "wasm-pack", "cross", "tauri", "buf", "goose",
    "golangci-lint", "goreleaser", "air", "migrate", "changeset", "lefthook",
    "semantic-release", "bundler", "jekyll", "hugo", "mkdocs", "crystal", "shards", "nimble", "alr", "rebar",
    "luarocks", "raco", "spago", "elm", "scala-cli", "mill", "meson",
    "conan", "vcpkg", "xmake", "west", "idf.py", "pio", "platformio", "arduino-cli",
];

/// Programs whose first two words name what they do: `gh pr create`, `docker compose up`.
pub(super) const WITH_TWO_SUBCOMMANDS: [&str; 6] = ["gh", "glab", "aws", "gcloud", "az", "linear"];

/// Words of a task runner that are followed by the name of the task: the task is what matters.
pub(super) const RUNS_A_TASK: [(&str, &[&str]); 12] = [
    ("npm", &["run", "run-script"]),
    ("pnpm", &["run"]),
    ("yarn", &["run"]),
    ("bun", &["run"]),
    ("deno", &["task"]),
    ("mise", &["run", "r"]),
    ("composer", &["run", "run-script"]),
    ("turbo", &["run"]),
    ("nx", &["run"]),
    ("lerna", &["run"]),
    ("cargo", &["xtask"]),
    ("docker", &["compose"]),
];

/// Options before the subcommand that have a value of their own; `git -C DIR status` runs `git status`.
#[rustfmt::skip]
pub(super) const OPTIONS_WITH_VALUE: [&str; 24] = [
    "-C", "-c", "-f", "-n", "-p", "-R", "-w", "-D", "-F", "-u", "--prefix", "--filter", "--cwd", "--dir",
    "--file", "--namespace", "--context", "--repo", "--config", "--project", "--workspace", "--directory",
    "--profile", "--manifest-path",
];

/// Options whose value says which part of a project is meant.
pub(super) const TARGET_OPTIONS: [&str; 5] = ["--filter", "-F", "--workspace", "-w", "--project"];

/// Programs that run the file or module that their words name.
#[rustfmt::skip]
pub(super) const INTERPRETERS: [&str; 13] = [
    "python", "python3", "python2", "node", "ruby", "perl", "php", "lua", "tsx", "ts-node", "Rscript",
    "julia", "elixir",
];

/// Shells, which run a text after `-c`.
pub(super) const SHELLS: [&str; 9] =
    ["bash", "sh", "zsh", "dash", "fish", "ksh", "pwsh", "powershell", "cmd"];
