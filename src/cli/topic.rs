//! The pages of `nudge -h`, `nudge --help`, `nudge help environment` and `nudge help plumbing`.

use super::catalog::{ALSO_TYPED, CommandGroup, GROUPS, Meant, PLUMBING};
use super::examples::{self, EXAMPLES};
use super::output::BOLD;
use crate::config::env;

/// What nudge does, in the help and in the manual.
pub(crate) const ABOUT: &str = "\
Nudge runs from the hooks of coding agents, on your own machine. Rules in
`.nudge.yaml` block or correct their tool calls. What agents do is remembered,
can be searched, and briefs the next session. Nudge itself sends nothing
anywhere unless you join a team; what it shows an agent becomes part of that
agent's prompt.";

/// What the exit codes mean.
pub(crate) const EXIT_STATUS: [(&str, &str); 3] = [
    ("0", "the command did what it was asked for"),
    ("1", "it failed, a search found nothing, or a check found a problem"),
    ("2", "the command line is wrong"),
];

/// Gives the root command its help, its topics and its aliases.
pub(crate) fn arrange(command: clap::Command) -> clap::Command {
    let long = everything(&command);
    let plumbing = plumbing(&command);
    let command = ALSO_TYPED.iter().fold(command, |command, (word, meant)| match meant {
        Meant::Command(name) => command.mut_subcommand(name, |inner| inner.alias(*word)),
        Meant::Arguments(_) | Meant::Tip(_) => command,
    });
    let command = EXAMPLES.iter().fold(command, |command, (name, _)| {
        command.mut_subcommand(name, |inner| inner.after_help(examples::in_help(name)))
    });
    command
        .long_about(ABOUT)
        .help_template("{before-help}")
        .before_help(one_screen())
        .before_long_help(long)
        .mut_subcommand("environment", |inner| inner.override_help(environment()))
        .mut_subcommand("plumbing", |inner| inner.override_help(plumbing))
}

/// Returns the page of `nudge -h`, which fits a screen of 80 columns and 24 lines.
pub(crate) fn one_screen() -> String {
    // Without colour: clap would break coloured lines in the middle.
    let mut page = String::from("nudge: memory and guard rails for coding agents\n\n");
    page.push_str("Usage: nudge [OPTIONS] [COMMAND]        `nudge help COMMAND` explains a command\n\n");
    for CommandGroup { title, commands } in GROUPS {
        line(&mut page, format_args!("{title:10}{}", commands.join("  ")));
    }
    page.push_str(
        "
  nudge                 see what happened today
  nudge setup           connect Claude Code, Codex, Gemini CLI and others
  nudge init            create a first rule file in this project
  nudge search WORDS    find what agents did

-h this page   --help all commands   -V version   -j, --json for scripts
`nudge help environment` lists variables, `nudge help plumbing` the inner parts",
    );
    page
}

/// Returns the page of `nudge --help`: every command with its description.
pub(crate) fn everything(command: &clap::Command) -> String {
    let mut page = format!("Memory and guard rails for coding agents\n\n{ABOUT}\n\n");
    page.push_str(
        "Usage: nudge [OPTIONS] [COMMAND]\n\nWithout a command, nudge prints a summary of today.\n",
    );
    for group in GROUPS {
        line(&mut page, format_args!("\n{BOLD}{}{BOLD:#}", group.title));
        commands_of(command, group, &mut page);
    }
    line(&mut page, format_args!("\n{BOLD}Options{BOLD:#}"));
    page.push_str(
        "  -j, --json         Print JSON, before or after the command
      --color WHEN   Colour: auto, always or never [default: auto]
  -p, --port PORT    Port of the hint server [default: the running one]
  -h, --help         Print help: -h one screen, --help everything
  -V, --version      Print the version

",
    );
    line(&mut page, format_args!("{BOLD}Exit status{BOLD:#}"));
    for (code, meaning) in EXIT_STATUS {
        line(&mut page, format_args!("  {code}  {meaning}"));
    }
    page.push_str("\n`nudge help COMMAND` explains a command, `nudge help environment` the variables.");
    page
}

/// Returns the page of `nudge help plumbing`.
pub(crate) fn plumbing(command: &clap::Command) -> String {
    let mut page = String::from(
        "Plumbing: commands that agents, packages and scripts call\n\n\
         `nudge setup` writes what agents need; you rarely type these yourself.\n\n",
    );
    for group in GROUPS.iter().filter(|group| group.title == PLUMBING) {
        commands_of(command, group, &mut page);
    }
    page.push_str("\n`nudge help COMMAND` explains a command.\n");
    page
}

/// Returns the page of `nudge help environment`.
pub(crate) fn environment() -> String {
    let mut page = String::from("Environment variables that nudge reads\n\n");
    for (name, about) in env::VARIABLES {
        line(&mut page, format_args!("{BOLD}{name}{BOLD:#}"));
        folded(about, 72).iter().for_each(|text| line(&mut page, format_args!("    {text}")));
    }
    page.push_str("\nNO_COLOR and CLICOLOR_FORCE are honoured as well; `--color` overrides both.\n");
    page
}

/// Writes one line for each command of a group.
fn commands_of(command: &clap::Command, group: &CommandGroup, page: &mut String) {
    for name in group.commands {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        line(page, format_args!("  {name:13} {about}"));
    }
}

fn line(page: &mut String, text: std::fmt::Arguments<'_>) {
    page.push_str(&text.to_string());
    page.push('\n');
}

/// Breaks a text between words into lines of up to `width` characters.
fn folded(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split(' ') {
        let last =
            lines.last_mut().filter(|last| last.is_empty() || last.chars().count() + word.len() < width);
        match last {
            Some(last) if last.is_empty() => last.push_str(word),
            Some(last) => {
                last.push(' ');
                last.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines
}
