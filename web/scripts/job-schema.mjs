// What the form of a new job is made from: the part of the OpenAPI snapshot that describes `JobCreate`. Without `--write` it only
// says whether the committed file is that. It is the schema of answers, whose defaults are spelt as people write them (`2Gi`).
import { readFileSync, writeFileSync } from "node:fs";

const ROOT = "JobCreate-Output";
const snapshot = new URL("../../tests/architecture/openapi.json", import.meta.url);
const target = new URL("../openapi/job-create.json", import.meta.url);

const { schemas } = JSON.parse(readFileSync(snapshot, "utf8")).components;
const wanted = `${JSON.stringify({ root: ROOT, schemas: Object.fromEntries(collect(ROOT)) }, null, 1)}\n`;

if (process.argv.includes("--write")) {
  writeFileSync(target, wanted);
} else if (committed() !== wanted) {
  console.error(
    "web/openapi/job-create.json does not match tests/architecture/openapi.json: run `npm run api` in web/.",
  );
  process.exit(1);
}

/** The schema `name` and all that it refers to, by name. */
function collect(name, found = new Map()) {
  if (found.has(name)) return found;
  found.set(name, schemas[name]);
  for (const [, inner] of JSON.stringify(schemas[name]).matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    collect(inner, found);
  return found;
}

function committed() {
  try {
    return readFileSync(target, "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return "";
    throw error;
  }
}
