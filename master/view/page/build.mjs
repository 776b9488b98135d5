// Bundles the page into a folder: npm run build -- --outdir=FOLDER. Nothing of it is loaded from elsewhere.
import { build } from "esbuild";
import { cpSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv.find((argument) => argument.startsWith("--outdir="))?.slice("--outdir=".length);
if (!out) {
  console.error("usage: node build.mjs --outdir=FOLDER");
  process.exit(2);
}
mkdirSync(out, { recursive: true });
const shared = { bundle: true, minify: true, target: "es2022", legalComments: "none", logLevel: "warning", absWorkingDir: here };
await build({
  ...shared,
  entryPoints: { page: "src/page.ts", tele: "src/tele.ts", film: "src/film.ts", socket_worker: "src/data/socket_worker.ts", style: "src/style.css" },
  format: "esm",
  outdir: out,
});
// In a report everything stands in one file: no modules.
await build({ ...shared, entryPoints: { report: "src/report.ts", report_scene: "src/report_scene.ts" }, format: "iife", loader: { ".css": "text" }, outdir: out });
for (const name of ["index.html", "tele.html", "film.html", "icon.svg"]) cpSync(join(here, "src", name), join(out, name));
