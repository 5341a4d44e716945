import styles from "./Model.module.css";

/** Names that point to a version, such as `champion`. */
export function Aliases({ names }: { names: readonly string[] }) {
  if (names.length === 0) return <>–</>;
  return (
    <span className={styles.aliases} title={names.join(", ")}>
      {names.map((name) => (
        <span key={name} className={styles.alias}>
          {name}
        </span>
      ))}
    </span>
  );
}
