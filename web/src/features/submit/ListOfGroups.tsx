import { Button, IconButton } from "@/ui/Button";
import { Plus, Trash2 } from "@/ui/icons";
import styles from "./Fields.module.css";
import { GroupFields, useField } from "./fields";
import { isObject, type Path, resolve, type Schema } from "./schema";
import { freeName } from "./sections";

/** Objects in a list, such as worker groups; each with its fields, addable and removable. */
export function ListOfGroups({ path, schema }: { path: Path; schema: Schema }) {
  const { value, error, set, label } = useField({ path, schema });
  const items = Array.isArray(value) ? value : [];
  const itemSchema = resolve(schema).items ?? {};
  const noun = (resolve(itemSchema).title ?? "item").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {items.length === 0 && <p>{resolve(itemSchema).description}</p>}
      {items.map((item, index) => {
        const name =
          isObject(item) && typeof item.name === "string" && item.name !== "" ? item.name : `${noun} ${index + 1}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the name is what is being typed
          <fieldset key={index} className={`${styles.group} ${styles.item}`} aria-label={name}>
            <div className={styles.itemHead}>
              <strong>{name}</strong>
              <IconButton
                label={`Remove ${name}`}
                onClick={() => set(items.length === 1 ? undefined : items.filter((_, at) => at !== index))}
              >
                <Trash2 aria-hidden="true" />
              </IconButton>
            </div>
            <GroupFields path={[...path, index]} schema={itemSchema} />
          </fieldset>
        );
      })}
      <div>
        <Button icon={<Plus aria-hidden="true" />} onClick={() => set([...items, { name: freeName(items) }])}>
          Add {noun}
        </Button>
      </div>
      {error !== undefined && <p className={styles.error}>{error}</p>}
    </fieldset>
  );
}
