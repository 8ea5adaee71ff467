#!/usr/bin/env node
// Starts nudge. The first call fetches the program for this machine and verifies it.
"use strict";

const { spawnSync } = require("node:child_process");
const { createHash } = require("node:crypto");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");

const { version, archives, sha256 } = require("../archives.json");

function fail(message, hint) {
  console.error(`error: ${message}`);
  if (hint) console.error(`hint: ${hint}`);
  process.exit(1);
}

/** Returns the names of the targets that run here, the best first. */
function targets() {
  const machine = { x64: "x86_64", arm64: "aarch64" }[process.arch];
  if (!machine) return [];
  if (process.platform === "darwin") return [`${machine}-apple-darwin`];
  if (process.platform === "linux") return [`${machine}-unknown-linux-musl`, `${machine}-unknown-linux-gnu`];
  return [];
}

/** Returns the bytes of an archive; `NUDGE_ARCHIVES` may name a folder instead of the release. */
async function read(name) {
  const from = process.env.NUDGE_ARCHIVES || archives;
  if (path.isAbsolute(from)) return fs.readFileSync(path.join(from, name));
  if (!from.startsWith("https://")) fail("this package does not know where its archives are", "set NUDGE_ARCHIVES");
  const response = await fetch(`${from}/${name}`);
  if (!response.ok) fail(`${from}/${name} cannot be fetched: ${response.status}`);
  return Buffer.from(await response.arrayBuffer());
}

/** Returns the folder of this version's program; it stays the same, so that agents find it after an update of npm. */
function home() {
  const cache = process.env.XDG_CACHE_HOME;
  return path.join(cache && path.isAbsolute(cache) ? cache : path.join(os.homedir(), ".cache"), "nudge-npm", version);
}

async function install(folder) {
  const target = targets().find((one) => sha256[one]);
  if (!target) fail(`there is no program for ${process.platform} ${process.arch}`);
  const name = `nudge-${version}-${target}`;
  const bytes = await read(`${name}.tar.gz`);
  const actual = createHash("sha256").update(bytes).digest("hex");
  if (actual !== sha256[target]) fail(`the checksum of ${name}.tar.gz is wrong`, "nothing was installed");
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const box = fs.mkdtempSync(path.join(folder, ".new-"));
  try {
    fs.writeFileSync(path.join(box, "archive.tar.gz"), bytes);
    const done = spawnSync("tar", ["-xzf", "archive.tar.gz", `${name}/nudge`], { cwd: box, stdio: "inherit" });
    if (done.status !== 0) fail("the archive cannot be unpacked", "is `tar` installed?");
    // Two first calls may come at the same time; either of them is complete.
    fs.renameSync(path.join(box, name, "nudge"), path.join(folder, "nudge"));
  } finally {
    fs.rmSync(box, { recursive: true, force: true });
  }
}

async function main() {
  const folder = home();
  const program = path.join(folder, "nudge");
  if (!fs.existsSync(program)) await install(folder);
  const ran = spawnSync(program, process.argv.slice(2), { stdio: "inherit" });
  if (ran.error) fail(`${program} does not start: ${ran.error.message}`);
  if (ran.signal) process.kill(process.pid, ran.signal);
  process.exit(ran.status ?? 1);
}

main().catch((error) => fail(error.message));
