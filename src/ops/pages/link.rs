//! Joins the page's modules into one script.
//!
//! That needs no parser, because the modules keep to a few forms: `import { a, b } from './x.js';` on one line, and
//! `export` before a declaration. Everything else is refused, as are circles and names that two modules declare.

use std::collections::{BTreeMap, BTreeSet};

/// A module, split into what it needs and what it is.
#[derive(Debug)]
struct PageModule<'t> {
    /// What it imports, and from which module.
    imports: Vec<(String, Vec<&'t str>)>,
    exports: BTreeSet<&'t str>,
    declared: Vec<&'t str>,
    body: String,
}

/// Returns the script that begins with this module: each module once, after those that it imports.
pub(super) fn link(main: &str, modules: &[(&str, &str)]) -> Result<String, String> {
    let mut parsed = BTreeMap::new();
    for (name, text) in modules {
        parsed.insert(*name, parse_module(name, text)?);
    }
    let mut linker =
        Linker { modules: parsed, open: Vec::new(), done: BTreeSet::new(), script: String::new() };
    linker.add(main)?;
    let mut homes: BTreeMap<&str, &str> = BTreeMap::new();
    for name in &linker.done {
        let Some((name, module)) = linker.modules.get_key_value(name.as_str()) else { continue };
        for declared in &module.declared {
            if let Some(other) = homes.insert(declared, name) {
                return Err(format!("{name}: `{declared}` is also declared in {other}"));
            }
        }
    }
    Ok(linker.script)
}

struct Linker<'t> {
    modules: BTreeMap<&'t str, PageModule<'t>>,
    /// The modules whose imports are being added.
    open: Vec<String>,
    done: BTreeSet<String>,
    script: String,
}

impl Linker<'_> {
    fn add(&mut self, name: &str) -> Result<(), String> {
        if self.done.contains(name) {
            return Ok(());
        }
        if self.open.iter().any(|open| open == name) {
            return Err(format!("{} import each other in a circle", self.open.join(", ")));
        }
        let Some(module) = self.modules.get(name) else {
            return Err(format!(
                "{}: there is no module {name}",
                self.open.last().map_or("", String::as_str)
            ));
        };
        let imports: Vec<String> = module.imports.iter().map(|(from, _)| from.clone()).collect();
        self.open.push(name.to_owned());
        for from in &imports {
            self.add(from)?;
        }
        self.open.pop();
        let module = &self.modules[name];
        for (from, names) in &module.imports {
            let exports = &self.modules[from.as_str()].exports;
            if let Some(missing) = names.iter().find(|wanted| !exports.contains(*wanted)) {
                return Err(format!("{name}: {from} does not export `{missing}`"));
            }
        }
        self.script.push_str(&module.body);
        self.done.insert(name.to_owned());
        Ok(())
    }
}

fn parse_module<'t>(name: &str, text: &'t str) -> Result<PageModule<'t>, String> {
    let mut module = PageModule {
        imports: Vec::new(),
        exports: BTreeSet::new(),
        declared: Vec::new(),
        body: String::new(),
    };
    for (index, line) in text.lines().enumerate() {
        let refuse = |why: &str| Err(format!("{name}:{}: {why}", index + 1));
        if line.contains("import(") {
            return refuse("a dynamic import cannot be joined");
        }
        if line.starts_with("import") {
            let Some(import) = parse_import(name, line) else {
                return refuse("write `import { a, b } from './x.js';`");
            };
            module.imports.push(import);
            continue;
        }
        let is_exported = line.starts_with("export");
        let rest = line.strip_prefix("export ").unwrap_or(line);
        let declared = declared(rest);
        if is_exported && (declared.is_none() || rest == line) {
            return refuse("only `export` before a function, const, let or class can be joined");
        }
        module.declared.extend(declared);
        if is_exported {
            module.exports.extend(declared);
        }
        module.body.push_str(rest);
        module.body.push('\n');
    }
    Ok(module)
}

/// Parses `import { a, b } from './x.js';` to the path of the module and the names.
fn parse_import<'t>(importer: &str, line: &'t str) -> Option<(String, Vec<&'t str>)> {
    let (names, from) = line.strip_prefix("import { ")?.strip_suffix("';")?.split_once(" } from '")?;
    let names: Vec<&str> = names.split(", ").collect();
    let is_name = |name: &&str| !name.is_empty() && name.chars().all(is_name_part);
    let folder = importer.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = match (from.strip_prefix("./"), from.strip_prefix("../")) {
        (Some(rest), _) if folder.is_empty() => rest.to_owned(),
        (Some(rest), _) => format!("{folder}/{rest}"),
        (_, Some(rest)) if !folder.contains('/') => rest.to_owned(),
        _ => return None,
    };
    (names.iter().all(is_name) && path.ends_with(".js")).then_some((path, names))
}

/// Returns the name that a line declares at the top of a module.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let rest = ["function ", "const ", "let ", "class "].iter().find_map(|word| line.strip_prefix(word))?;
    rest.split(|c| !is_name_part(c)).next().filter(|name| !name.is_empty())
}

fn is_name_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn modules_come_after_what_they_import_and_once() {
        let modules = [
            ("main.js", "import { b } from './b.js';\nimport { c } from './page/c.js';\nb(c);\n"),
            ("b.js", "import { d } from './d.js';\nexport function b(x) {\n  return d + x;\n}\n"),
            ("page/c.js", "import { d } from '../d.js';\nexport const c = d;\n"),
            ("d.js", "const hidden = 1;\nexport const d = hidden;\n"),
            ("unused.js", "export const hidden = 2;\n"),
        ];
        let linked = "const hidden = 1;\nconst d = hidden;\nfunction b(x) {\n  return d + x;\n}\nconst c = d;\nb(c);\n";
        assert_eq!(link("main.js", &modules).as_deref(), Ok(linked));
        // What is joined needs no joining.
        assert_eq!(link("main.js", &[("main.js", linked)]).as_deref(), Ok(linked));
    }

    #[test]
    fn what_cannot_be_joined_is_refused() {
        let other = ("x.js", "export const a = 1;\nconst own = 2;\n");
        for (text, why) in [
            ("import a from './x.js';", "main.js:1: write `import { a, b } from './x.js';`"),
            ("import * as a from './x.js';", "main.js:1: write `import { a, b } from './x.js';`"),
            ("import { a as b } from './x.js';", "main.js:1: write `import { a, b } from './x.js';`"),
            ("import './x.js';", "main.js:1: write `import { a, b } from './x.js';`"),
            ("const a = await import('./x.js');", "main.js:1: a dynamic import cannot be joined"),
            (
                "export default 1;",
                "main.js:1: only `export` before a function, const, let or class can be joined",
            ),
            (
                "export { a };",
                "main.js:1: only `export` before a function, const, let or class can be joined",
            ),
            ("import { own } from './x.js';", "main.js: x.js does not export `own`"),
            ("import { a } from './y.js';", "main.js: there is no module y.js"),
            ("import { a } from './x.js';\nconst own = a;", "x.js: `own` is also declared in main.js"),
            ("import { m } from './main.js';\nexport const m = 1;", "main.js import each other in a circle"),
        ] {
            assert_eq!(link("main.js", &[("main.js", text), other]), Err(why.to_owned()), "{text}");
        }
    }
}
