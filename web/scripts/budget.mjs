// What the first page view costs: the entry's scripts and styles, as they travel. Fails when it exceeds the budget.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const BUDGET_KB = { entry: 160, route: 40, lazy: 160, fonts: 95 };
const LAZY = /^(parallel|editor)/;

const page = readFileSync(join(dist, "index.html"), "utf8");
const first = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1]);
// Files that are too small to gain by it are not compressed.
const gzipKb = (file) => {
  const compressed = `${join(dist, file)}.gz`;
  return statSync(existsSync(compressed) ? compressed : join(dist, file)).size / 1000;
};
const assets = readdirSync(join(dist, "assets")).map((name) => `assets/${name}`);
const chunks = assets.filter((file) => file.endsWith(".js") && !first.includes(file));
const fonts = assets.filter((file) => file.endsWith(".woff2"));

const entry = first.reduce((sum, file) => sum + gzipKb(file), 0);
const fontsKb = fonts.reduce((sum, file) => sum + statSync(join(dist, file)).size / 1000, 0);
const over = [];
const judge = (what, kb, budget) => {
  if (kb > budget) over.push(`${what}: ${kb.toFixed(1)} kB is above the budget of ${budget} kB`);
};

judge("entry scripts and styles", entry, BUDGET_KB.entry);
judge("fonts", fontsKb, BUDGET_KB.fonts);
for (const chunk of chunks) {
  const lazy = LAZY.test(chunk.replace("assets/", ""));
  judge(chunk, gzipKb(chunk), lazy ? BUDGET_KB.lazy : BUDGET_KB.route);
}

console.log(
  `entry ${entry.toFixed(1)} kB gz of ${BUDGET_KB.entry} kB (${first.length} files), fonts ${fontsKb.toFixed(1)} kB`,
);
if (over.length > 0) {
  console.error(over.join("\n"));
  process.exit(1);
}
