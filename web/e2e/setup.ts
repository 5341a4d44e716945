import type { TestProject } from "vitest/node";
import { control } from "./control.ts";
import { Stage, type StageFacts } from "./stage.ts";

declare module "vitest" {
  interface ProvidedContext {
    stage: StageFacts & { control: string };
  }
}

/** One platform for all files. Tests reach it by its address, and what only its owner can do through a socket. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stage = await Stage.start();
  const server = await control(stage);
  project.provide("stage", { ...stage.facts, control: server.url });
  return async () => {
    server.close();
    await stage.stop();
  };
}
