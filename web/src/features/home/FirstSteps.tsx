import { CodeBlock } from "@/ui/Copy";
import { Panel } from "@/ui/Panel";
import styles from "./HomePage.module.css";

/** A project without jobs: three commands to the first one. */
export function FirstSteps({ project, mayCreate }: { project: string; mayCreate: boolean }) {
  const { origin } = globalThis.location;
  return (
    <Panel title={mayCreate ? "Three commands to the first job" : "No jobs yet"}>
      {mayCreate ? (
        <ol className={styles.steps}>
          <li>
            <p>
              Install the client that matches this platform, as <a href="/client/">its page</a> shows, and sign in.
            </p>
            <CodeBlock text={`mlp login ${origin}`} />
          </li>
          <li>
            <p>Choose this project.</p>
            <CodeBlock text={`mlp use ${project}`} />
          </li>
          <li>
            <p>Run a script. The folder it stands in travels with it; the log comes back.</p>
            <CodeBlock text="mlp run train.py" />
          </li>
        </ol>
      ) : (
        <p>You may look at this project. An editor of it can run jobs.</p>
      )}
    </Panel>
  );
}
