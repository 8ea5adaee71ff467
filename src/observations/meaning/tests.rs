//! What lines say, language by language.

use super::Meaning::{Comment, Condition, Definition, Import, Nothing, Plain};
use super::{Meaning, counterpart, defined_names, family, meaning, telling};

fn check(path: &str, lines: &[(&str, Meaning)]) {
    for (line, expected) in lines {
        assert_eq!(meaning(line, family(path)), *expected, "{path}: {line}");
    }
}

#[test]
fn definitions_and_conditions_say_more_than_imports_comments_and_braces() {
    check(
        "src/a.rs",
        &[
            ("use std::fs;", Import),
            ("pub use self::x::Y;", Import),
            ("mod lines;", Import),
            ("// why", Comment),
            ("/// Returns it.", Comment),
            ("#[derive(Debug)]", Comment),
            ("}", Nothing),
            ("", Nothing),
            ("pub(crate) fn open(path: &Path) -> Result<Store> {", Definition),
            ("const MAX: usize = 4;", Definition),
            ("impl Store for File {", Definition),
            ("macro_rules! twice {", Definition),
            ("let x = open(path)?;", Plain),
            ("if x.is_none() {", Condition),
            ("return Err(error);", Condition),
            ("} else {", Condition),
        ],
    );
    check(
        "cmd/main.go",
        &[
            ("package main", Import),
            ("\"fmt\"", Import),
            ("log \"github.com/sirupsen/logrus\"", Import),
            ("func (s *Store) Open(path string) error {", Definition),
            ("type Store struct {", Definition),
            ("x := open(path)", Plain),
            ("if err != nil {", Condition),
            ("return \"\", err", Condition),
        ],
    );
    check(
        "web/App.tsx",
        &[
            ("import React from 'react'", Import),
            ("export { A } from './a'", Import),
            ("const fs = require('fs')", Import),
            ("SharedFileBrowser,", Nothing),
            ("export default function App() {", Definition),
            ("export const useShares = () => {", Definition),
            ("const total = items.length", Plain),
            ("interface Props {", Definition),
            ("render() {", Definition),
            ("setShares(next);", Plain),
            ("* @param x", Comment),
        ],
    );
    check(
        "app/models.py",
        &[
            ("import os", Import),
            ("from x import y", Import),
            ("# a comment", Comment),
            ("\"\"\"Doc.\"\"\"", Comment),
            ("async def fetch(self, url):", Definition),
            ("class User(Base):", Definition),
            ("raise ValueError(x)", Condition),
            ("self.x = 1", Plain),
        ],
    );
    check(
        "lib/session_live.ex",
        &[
            ("alias Spotter.Repo", Import),
            ("use Phoenix.LiveView", Import),
            ("def mount(_params, session, socket) do", Definition),
            ("defp assign_all(socket) do", Definition),
            ("test \"renders\", %{conn: conn} do", Definition),
            ("end", Nothing),
            ("cond do", Condition),
            ("socket |> assign(:x, 1)", Plain),
        ],
    );
    check(
        "A.java",
        &[
            ("import java.util.List;", Import),
            ("public static int sum(int a, int b) {", Definition),
            ("@Override", Comment),
            ("private final List<String> names;", Plain),
            ("throw new IllegalStateException();", Condition),
        ],
    );
    check(
        "Program.cs",
        &[
            ("using System.Linq;", Import),
            ("using var file = File.OpenRead(path);", Plain),
            ("public async Task<int> RunAsync(string[] args)", Definition),
            ("namespace App {", Definition),
        ],
    );
    check(
        "app/user.rb",
        &[
            ("require 'json'", Import),
            ("def full_name", Definition),
            ("unless valid?", Condition),
            ("end", Nothing),
        ],
    );
    check(
        "src/User.php",
        &[
            ("use App\\Models\\User;", Import),
            ("public function handle(Request $request): Response", Definition),
            ("if (!$user) {", Condition),
        ],
    );
    check(
        "core/list.cpp",
        &[
            ("#include <vector>", Import),
            ("#define MAX 4", Definition),
            ("static int add(int a, int b) {", Definition),
            ("std::vector<int> v;", Plain),
        ],
    );
}

#[test]
fn data_and_prose_have_their_own_lines_that_matter() {
    check(
        "deploy.sh",
        &[
            ("#!/bin/sh", Comment),
            ("set -eu", Import),
            ("build() {", Definition),
            ("if [ -z \"$1\" ]; then", Condition),
            ("cargo build --release", Plain),
            ("fi", Import),
        ],
    );
    check("Makefile", &[("test:", Definition), ("\tgo test ./...", Plain)]);
    check("ci.yaml", &[("# x", Comment), ("jobs:", Plain), ("runs-on: ubuntu-latest", Definition)]);
    check("Cargo.toml", &[("[dependencies]", Plain), ("serde = \"1\"", Definition), ("", Nothing)]);
    check(
        "package.json",
        &[("{", Nothing), ("\"scripts\": {", Plain), ("\"test\": \"vitest\",", Definition)],
    );
    check(
        "001.sql",
        &[
            ("-- users", Comment),
            ("ALTER TABLE users ADD COLUMN age int;", Definition),
            ("WHERE id = 1", Condition),
            ("name text", Plain),
        ],
    );
    check(
        "README.md",
        &[("## Setup", Definition), ("Run it.", Plain), ("```text", Comment), ("---", Nothing)],
    );
    check("notes.txt", &[("anything", Plain), ("***", Nothing)]);
}

#[test]
fn the_telling_lines_of_a_change_are_its_definitions_or_the_one_that_says_most() {
    let rust = family("a.rs");
    let changed = ["use a::b;", "// why", "fn one() {", "let x = 1;", "fn two() {", "fn three() {"];
    assert_eq!(telling(&changed, rust, 2), ["fn one() {", "fn two() {"]);
    assert_eq!(telling(&["use a::b;", "let x = 1;", "if x == 2 {"], rust, 2), ["if x == 2 {"]);
    assert_eq!(telling(&["// only a comment"], rust, 2), ["// only a comment"]);
    assert_eq!(telling(&[], rust, 2), Vec::<&str>::new());
}

#[test]
fn of_statements_several_are_told_and_of_comments_one() {
    let elixir = family("config/test.exs");
    let changed = ["config :shop, Web.Endpoint,", "secret_key_base: key,", "server: false"];
    assert_eq!(telling(&changed, elixir, 3), changed);
    assert_eq!(telling(&["# one", "# two"], elixir, 3), ["# one"]);
}

#[test]
fn a_changed_line_is_shown_beside_the_line_it_replaces() {
    let old = ["let a = 1;", "if count > 3 {", "done();"];
    assert_eq!(counterpart("if count >= 3 {", &old), Some("if count > 3 {"));
    assert_eq!(counterpart("return Err(x)?", &old), None);
    assert_eq!(counterpart("x", &[]), None);
}

#[test]
fn the_names_that_a_file_defines_are_found() {
    let names = |path: &str, text: &'static str| defined_names(text.lines(), family(path), 4);
    assert_eq!(
        names(
            "a.go",
            "package a\nfunc Truncate(s string) string {\nfunc (s *Store) Open() error {\ntype Key int\n"
        ),
        ["Truncate", "Open", "Key"]
    );
    assert_eq!(
        names("a.rs", "pub(crate) fn open<T>(x: T) {\nimpl Store {\nconst MAX: u8 = 1;"),
        ["open", "Store", "MAX"]
    );
    assert_eq!(names("a.py", "class A(B):\n    def go(self):\n"), ["A", "go"]);
    assert_eq!(names("A.java", "public class Shop {\n  public int sum(int a) {\n"), ["Shop", "sum"]);
    assert_eq!(names("a.ts", "export const useShares = () => {\nfunction go() {}"), ["useShares", "go"]);
    assert_eq!(names("README.md", "# Title"), Vec::<&str>::new());
}
