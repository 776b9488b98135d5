// Debian's Chromium with software GL, and small helps for tests of the page.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = resolve(dirname(fileURLToPath(import.meta.url)), "../../..");
/** The page's packages: where build_page put them, or beside the sources. */
export const packages = [join(root, "build/page_work"), join(root, "master/view/page")].find((folder) => existsSync(join(folder, "node_modules/ws")));

export async function launch() {
  const { chromium } = createRequire(join(packages, "package.json"))("playwright-core");
  return chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-background-networking"] });
}

/** A page that must not complain: `complaints` are what the console and the page said. */
export async function open(browser, url, { width = 800, height = 450 } = {}) {
  const page = await browser.newPage({ viewport: { width, height } });
  page.setDefaultTimeout(patience);
  const complaints = [];
  page.on("console", (m) => m.type() === "error" && complaints.push(m.text()));
  page.on("pageerror", (e) => complaints.push(e.message));
  await page.goto(url, { timeout: patience });
  return { page, complaints };
}

/** Waits are long, because a test may share its processor; what is right comes at once. */
export const patience = 90_000;

export async function until(page, condition, argument) {
  return page.waitForFunction(condition, argument, { timeout: patience, polling: 50 });
}

/** How many different colours, and how far they spread: an empty canvas has one. */
export async function statistics(page, selector = "canvas.scene") {
  return page.evaluate((name) => {
    const scene = document.querySelector(name);
    const copy = document.createElement("canvas");
    copy.width = 160;
    copy.height = 90;
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(scene, 0, 0, 160, 90);
    const { data } = context.getImageData(0, 0, 160, 90);
    const colors = new Set();
    let sum = 0, squares = 0;
    for (let i = 0; i < data.length; i += 4) {
      const v = (data[i] + data[i + 1] + data[i + 2]) / 3;
      colors.add((data[i] >> 3) * 4096 + (data[i + 1] >> 3) * 64 + (data[i + 2] >> 3));
      sum += v;
      squares += v * v;
    }
    const n = data.length / 4;
    return { colors: colors.size, deviation: Math.sqrt(squares / n - (sum / n) ** 2) };
  }, selector);
}
