// The program itself, serving its page.
import { spawn, spawnSync } from "node:child_process";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./browser.mjs";

export const tandem = process.env.TANDEM ?? join(root, "build/release/tandem");

/** A folder that is gone when the tests have ended. */
export function temporary() {
  const folder = mkdtempSync(join(tmpdir(), "tandem_page_test_"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A run without a view; its folder. */
export function run(system, out, ...options) {
  const ended = spawnSync(tandem, ["run", system, "--shadow=off", "--quiet", `--out=${out}`, ...options], { encoding: "utf8" });
  assert.equal(ended.status, 0, ended.stderr);
  return out;
}

/** A verb that serves a page, and where that is; `said` is everything that it wrote so far. */
export async function serving(...args) {
  const child = spawn(tandem, [...args, ...(args.some((arg) => arg.startsWith("--view=")) ? [] : ["--view=0"]), "--view-page", join(root, "build/page")], { stdio: ["ignore", "pipe", "pipe"] });
  const made = { child, said: "", ended: new Promise((done) => child.on("exit", done)) };
  made.url = await new Promise((found, failed) => {
    const hear = (piece) => {
      made.said += piece;
      const at = /(?:view|station): (http[^\s,]+)/.exec(made.said);
      if (at) found(at[1]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => failed(new Error(`tandem ${args[0]} ended with ${code}: ${made.said}`)));
  });
  made.close = () => (child.kill("SIGINT"), made.ended);
  return made;
}
