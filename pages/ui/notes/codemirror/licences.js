// Write LICENSES.txt: the name, version and licence text of each package in the bundle.
import { readFileSync, writeFileSync } from "node:fs";

const lock = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;
const used = Object.keys(JSON.parse(readFileSync("bundle.json", "utf8")).inputs).map(
  file => file.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1]).filter(Boolean);
const texts = [...new Set(used)].sort().map(name => {
  const { version, license } = lock[`node_modules/${name}`];
  return `${name} ${version} (${license})\n\n${readFileSync(`node_modules/${name}/LICENSE`, "utf8").trim()}\n`;
});
writeFileSync("LICENSES.txt", texts.join(`\n${"-".repeat(80)}\n\n`));
