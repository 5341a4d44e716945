import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { formatBytes, formatNumber, shortDigest } from "@/lib/format";
import { ChevronRight } from "@/ui/icons";
import styles from "./Fields.module.css";
import { type FormContext, FormProvider, type Option, SchemaField } from "./fields";
import { clustersQuery, environmentsQuery, packagesQuery, poolsQuery } from "./queries";
import { JOB_SCHEMA, type Path, resolve, type Spec, withoutDefaults, withValueAt } from "./schema";
import { type Section, sectionsOf } from "./sections";

interface JobFormProps {
  project: string;
  spec: Spec;
  onChange: (spec: Spec) => void;
  problemOf: (field: string) => string | undefined;
}

export function JobForm({ project, spec, onChange, problemOf }: JobFormProps) {
  const { properties = {} } = resolve(JOB_SCHEMA);
  const optionsOf = useOptions(project);
  const set = useCallback((path: Path, value: unknown) => onChange(withValueAt(spec, path, value)), [spec, onChange]);
  const form = useMemo<FormContext>(() => ({ spec, set, problemOf, optionsOf }), [spec, set, problemOf, optionsOf]);
  return (
    <FormProvider value={form}>
      <div className={styles.form}>
        {sectionsOf(Object.keys(properties)).map((section) => (
          <FormSection key={section.title} section={section} spec={spec}>
            <div className={styles.grid}>
              {section.fields.map((name) => {
                const schema = properties[name];
                return schema === undefined ? null : <SchemaField key={name} path={[name]} schema={schema} />;
              })}
            </div>
          </FormSection>
        ))}
      </div>
    </FormProvider>
  );
}

/** A section says what is set in it, so that nothing hides in a closed one. */
function FormSection({ section, spec, children }: { section: Section; spec: Spec; children: ReactNode }) {
  const own = withoutDefaults(Object.fromEntries(section.fields.map((name) => [name, spec[name]])));
  const set = Object.keys(own);
  const [open, setOpen] = useState(section.open || set.length > 0);
  return (
    <details className={styles.section} open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <ChevronRight aria-hidden="true" />
        <h2>{section.title}</h2>
        {!open && set.length > 0 && <small>{set.join(", ")} set</small>}
      </summary>
      <div>{children}</div>
    </details>
  );
}

/** What can be chosen from. Until it is read, or where it cannot be, the fields take free text. */
function useOptions(project: string): (field: string) => Option[] | null {
  const pools = useQuery(poolsQuery()).data?.items;
  const packages = useQuery(packagesQuery(project)).data?.items;
  const clusters = useQuery(clustersQuery(project)).data?.items;
  const environments = useQuery(environmentsQuery(project)).data?.items;
  return useCallback(
    (field: string) => {
      if (/^resources\.(head|groups\.\d+)\.pool$/.test(field)) {
        return pools?.map((pool) => ({ value: pool.name, label: poolInWords(pool) })) ?? null;
      }
      switch (field) {
        case "package":
          return (
            packages
              ?.filter(({ complete }) => complete)
              .map(({ digest, name, size }) => ({
                value: digest,
                label: `${name ?? "package"} ${shortDigest(digest)}, ${formatBytes(size)}`,
              })) ?? null
          );
        case "cluster":
          return (
            clusters
              ?.filter(({ phase }) => !["stopped", "failed", "stopping"].includes(phase))
              .map(({ id, name, phase }) => ({ value: name ?? id, label: `${name ?? id} (${phase})` })) ?? null
          );
        case "environment.name":
          return (
            environments
              ?.filter(({ name, phase }) => name !== null && phase !== "failed")
              .map(({ name, python }) => ({ value: name ?? "", label: `${name}, Python ${python}` })) ?? null
          );
        default:
          return null;
      }
    },
    [pools, packages, clusters, environments],
  );
}

interface PoolSize {
  name: string;
  cpu?: number;
  memory?: string | number;
  gpu?: number;
}

function poolInWords({ name, ...pool }: PoolSize): string {
  const parts = [
    pool.gpu ? `${formatNumber(pool.gpu)} GPU` : "",
    pool.cpu ? `${formatNumber(pool.cpu)} CPU` : "",
    pool.memory ? String(pool.memory) : "",
  ].filter(Boolean);
  return parts.length === 0 ? name : `${name}: ${parts.join(", ")}`;
}
