// Which columns of a wall are drawn: enough of them that no height is off by more than the tolerance. And how far a point is from it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { packages, root } from "./browser.mjs";

const { transformSync } = createRequire(join(packages, "package.json"))("esbuild");
const { code } = transformSync(readFileSync(join(root, "master/view/page/src/scene/wall_shape.ts"), "utf8"), { loader: "ts" });
const { distanceTo, thinned } = await import(`data:text/javascript,${encodeURIComponent(code)}`);

/** The most that a height differs from what is drawn between the columns that are kept. */
function worst(heights, columns, rows, kept) {
  let most = 0;
  for (let n = 0; n + 1 < kept.length; ++n)
    for (let i = kept[n]; i <= kept[n + 1]; ++i)
      for (let k = 0; k < rows; ++k) {
        const part = (i - kept[n]) / (kept[n + 1] - kept[n]);
        const drawn = (1 - part) * heights[kept[n] * rows + k] + part * heights[kept[n + 1] * rows + k];
        most = Math.max(most, Math.abs(heights[i * rows + k] - drawn));
      }
  return most;
}

test("a whole wall is drawn with as few columns as its curve allows", () => {
  assert.deepEqual(thinned(new Float32Array(601 * 5).fill(3), 601, 5, 1e-3, 40), Array.from({ length: 16 }, (_, i) => 40 * i));
  assert.deepEqual(thinned(new Float32Array(4).fill(3), 2, 2, 1e-3, 1), [0, 1]);
});

test("a bite is drawn where it is: steps, slopes, one column, one row", () => {
  const heights = new Float32Array(601 * 5).fill(3);
  for (let i = 100; i < 130; ++i) heights.fill(1, 5 * i, 5 * i + 5); // a step down and up
  for (let i = 200; i < 260; ++i) heights.fill(3 - (i - 200) / 30, 5 * i, 5 * i + 5); // a slope and a step
  heights[5 * 400 + 2] = 2; // one vertex inside the wall
  for (const tolerance of [1e-3, 2e-2]) {
    const kept = thinned(heights, 601, 5, tolerance, 40);
    for (const column of [99, 100, 129, 130, 259, 260, 399, 400, 401]) assert.ok(kept.includes(column), `column ${column} of ${kept}`);
    assert.ok(worst(heights, 601, 5, kept) <= tolerance + 1e-6);
    assert.ok(kept.length < 40, `${kept.length} columns`);
  }
});

test("a rough wall is never off by more than the tolerance, and goes without columns only where it may", () => {
  const heights = new Float32Array(301 * 2);
  let seed = 1;
  const next = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (let i = 0; i < heights.length; ++i) heights[i] = 2 + (i < 200 ? 0.3 : 0.012) * next();
  const kept = thinned(heights, 301, 2, 2e-2, 40);
  assert.ok(kept.every((column, i) => i === 0 || (column > kept[i - 1] && column - kept[i - 1] <= 40)));
  assert.equal(kept[0], 0);
  assert.equal(kept.at(-1), 300);
  assert.ok(worst(heights, 301, 2, kept) <= 2e-2 + 1e-6);
  assert.ok(kept.filter((column) => column < 100).length > 80 && kept.filter((column) => column >= 100).length < 12, `${kept}`);
});

test("what is not a number stays as it is", () => {
  const heights = new Float32Array(20).fill(1);
  heights[10] = NaN;
  assert.ok([4, 5, 6].every((column) => thinned(heights, 10, 2, 1e-3, 40).includes(column)));
});

test("the wall is as far as its nearest part: below, before, behind and beside", () => {
  const ring = { radius: 30, thickness: 0.2, start: 0.1, span: 0.4, base: -1, height: 3, floor: -40 };
  const columns = 401, rows = 5;
  const heights = new Float32Array(columns * rows).fill(3);
  for (let i = 0; i < 200; ++i) heights.fill(1, rows * i, rows * i + rows); // cut down to z = 0 up to the azimuth 0.3
  const at = (azimuth, r, z) => ({ x: r * Math.cos(azimuth), y: r * Math.sin(azimuth), z });
  const distance = (...where) => distanceTo(ring, { heights, columns, rows }, at(...where));
  const near = (found, wanted, slack = 0.02) => assert.ok(Math.abs(found - wanted) < slack, `${found} is ${wanted}`);
  near(distance(0.4, 30.1, 2.5), 0.5); // over the wall
  near(distance(0.4, 29, 1), 1); // before its inner face
  near(distance(0.4, 31, 1), 0.8); // behind its outer face
  near(distance(0.4, 30.1, 1), 0); // in it
  near(distance(0.2, 30.1, 0.7), 0.7); // over what is cut, far from the step
  near(distance(0.3 - 0.434 / 30.1, 30.1, 1.39), 0.434); // over what is cut, beside the step
  near(distance(0.3 - 0.3 / 30, 29.6, 1), Math.hypot(0.3, 0.4)); // before the face and beside the step
  near(distance(0.6, 30.1, 2.3), 0.3); // ahead of the segment the ring stands
  near(distance(0.05, 30.1, 0.4), 0.4); // behind it the ring is lowered to 0
  near(distance(0.1 - 0.5 / 30, 30.1, 1), 1);
});
