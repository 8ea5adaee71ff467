//! The value of a hint on the command line: a text, or one of the seed's typed values.

use std::io::{self, Read};

use clap::ValueEnum;

use super::hints::{os, pair};
use super::output::Failure;
use crate::model::{HintValue, Os, Shell, TemplateFormat, TypedValue};

/// More than a hint may hold: what is longer is not read to its end.
const MAX_BYTES: u64 = 1 << 20;

#[derive(clap::Args)]
pub(crate) struct ValueArgs {
    /// Value; `-` reads it from stdin, and `--` goes before a value that starts with a dash
    value: String,

    /// Type of the value [default: string, or the type that the flags below imply]
    #[arg(long = "type", value_enum, value_name = "KIND")]
    kind: Option<KindArg>,

    /// Shell that a command is for
    #[arg(long, value_enum, value_name = "SHELL")]
    shell: Option<ShellArg>,

    /// Language of a template [default: mustache]
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    format: Option<TemplateFormatArg>,

    /// Default for a variable of a template; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    default: Vec<(String, String)>,

    /// Systems that a path is for: linux, darwin, windows
    #[arg(long, value_name = "OS", value_delimiter = ',', value_parser = os)]
    path_os: Vec<Os>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindArg {
    String,
    Command,
    Path,
    Template,
    Json,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ShellArg {
    Bash,
    Sh,
    Powershell,
    Cmd,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum TemplateFormatArg {
    Mustache,
    Handlebars,
    Jinja,
    Interpolate,
}

impl ValueArgs {
    /// Returns the value as the protocol has it.
    pub(crate) fn value(&self) -> Result<HintValue, Failure> {
        let kind = self.kind()?;
        let text = if self.value == "-" { read()? } else { self.value.clone() };
        Ok(HintValue::Typed(match kind {
            KindArg::String => return Ok(HintValue::Text(text)),
            KindArg::Command => TypedValue::Command { shell: self.shell.map(Shell::from), cmd: text },
            KindArg::Path => TypedValue::Path { os: self.path_os.clone(), abs: text },
            KindArg::Template => TypedValue::Template {
                format: self.format.unwrap_or(TemplateFormatArg::Mustache).into(),
                body: text,
                defaults: self.default.iter().cloned().collect(),
            },
            KindArg::Json => {
                let wrong = |error| Failure::new(format!("the value is not JSON: {error}")).usage();
                TypedValue::Json { data: serde_json::from_str(&text).map_err(wrong)? }
            }
        }))
    }

    /// Returns the kind that is named, or the one that the other flags are for.
    fn kind(&self) -> Result<KindArg, Failure> {
        let flags = [
            (self.shell.is_some(), "--shell", KindArg::Command),
            (self.format.is_some(), "--format", KindArg::Template),
            (!self.default.is_empty(), "--default", KindArg::Template),
            (!self.path_os.is_empty(), "--path-os", KindArg::Path),
        ];
        let given: Vec<(&str, KindArg)> =
            flags.into_iter().filter(|(given, ..)| *given).map(|(_, flag, kind)| (flag, kind)).collect();
        let kind = self.kind.or(given.first().map(|(_, kind)| *kind)).unwrap_or(KindArg::String);
        match given.iter().find(|(_, meant)| *meant != kind) {
            Some((flag, meant)) => {
                Err(Failure::new(format!("`{flag}` is for `--type {}`", name(meant))).usage())
            }
            None => Ok(kind),
        }
    }
}

impl From<ShellArg> for Shell {
    fn from(shell: ShellArg) -> Shell {
        match shell {
            ShellArg::Bash => Shell::Bash,
            ShellArg::Sh => Shell::Sh,
            ShellArg::Powershell => Shell::Powershell,
            ShellArg::Cmd => Shell::Cmd,
        }
    }
}

impl From<TemplateFormatArg> for TemplateFormat {
    fn from(format: TemplateFormatArg) -> TemplateFormat {
        match format {
            TemplateFormatArg::Mustache => TemplateFormat::Mustache,
            TemplateFormatArg::Handlebars => TemplateFormat::Handlebars,
            TemplateFormatArg::Jinja => TemplateFormat::Jinja,
            TemplateFormatArg::Interpolate => TemplateFormat::Interpolate,
        }
    }
}

fn name(arg: &impl ValueEnum) -> String {
    arg.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

/// Reads the value from stdin; the line end that `echo` adds is not part of it.
fn read() -> Result<String, Failure> {
    let mut bytes = Vec::new();
    let cannot = |error: io::Error| Failure::new(format!("stdin cannot be read: {error}"));
    io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(Failure::new("the value is longer than any hint may be"));
    }
    let text = String::from_utf8(bytes).map_err(|_| Failure::new("the value is not UTF-8"))?;
    Ok(text.strip_suffix('\n').map(|text| text.strip_suffix('\r').unwrap_or(text).to_owned()).unwrap_or(text))
}
