import { fileURLToPath } from "node:url";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { precompress } from "./scripts/precompress.ts";

const platform = process.env.MLP_URL ?? "http://127.0.0.1:8700";
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  plugins: [react(), precompress()],
  resolve: { alias: { "@openapi": here("./openapi/schema.d.ts"), "@test": here("./test"), "@": here("./src") } },
  server: {
    proxy: { "/api": platform, "/mlflow": platform, "/client": platform, "/readyz": platform, "/ray": platform },
  },
  build: {
    target: "es2023",
    sourcemap: false,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  test: {
    restoreMocks: true,
    pool: "threads",
    maxWorkers: 2,
    isolate: false,
    testTimeout: 30_000,
    projects: [
      // Decisions: no browser, no platform, milliseconds.
      { extends: true, test: { name: "unit", environment: "node", include: ["src/**/*.test.ts"] } },
      // What needs a document, or a stand-in for the platform.
      {
        extends: true,
        test: {
          name: "component",
          environment: "jsdom",
          include: ["src/**/*.test.tsx"],
          setupFiles: ["./test/setup.ts"],
        },
      },
    ],
  },
});
