// Types of the API, from the OpenAPI snapshot. Without `--write` it only says whether the committed file is that.
//
// A field with a default is always there in an answer, but may be left out of a request (and of a problem, which is sent without
// its nulls). So the defaults of what requests are made of are taken away, which makes those fields optional.
import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString } from "openapi-typescript";

const snapshot = new URL("../../tests/architecture/openapi.json", import.meta.url);
const target = new URL("../openapi/schema.d.ts", import.meta.url);
const banner = "// Generated from tests/architecture/openapi.json by `npm run api`. Do not edit.\n";

const document = JSON.parse(readFileSync(snapshot, "utf8"));
for (const name of requestSchemas(document).add("Problem")) {
  for (const property of Object.values(document.components.schemas[name].properties ?? {})) delete property.default;
}
const wanted = banner + astToString(await openapiTS(document));

if (process.argv.includes("--write")) {
  writeFileSync(target, wanted);
} else if (committed() !== wanted) {
  console.error("web/openapi/schema.d.ts does not match tests/architecture/openapi.json: run `npm run api` in web/.");
  process.exit(1);
}

/** Names of all schemas that a request body is made of. */
function requestSchemas({ paths, components }) {
  const found = new Set();
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    const name = /^#\/components\/schemas\/(.+)$/.exec(node.$ref)?.[1];
    if (name !== undefined && !found.has(name)) {
      found.add(name);
      visit(components.schemas[name]);
    }
    for (const child of Object.values(node)) visit(child);
  };
  for (const operations of Object.values(paths)) {
    for (const operation of Object.values(operations)) visit(operation?.requestBody);
  }
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
