/** One word for a shell: whatever is in it, the program gets exactly `text`. */
export function quoted(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A here-document with `text`, of which nothing is expanded. */
export function hereDocument(command: string, text: string): string {
  let end = "EOF";
  while (text.split("\n").includes(end)) end += "_";
  return `${command} <<'${end}'\n${text.endsWith("\n") ? text : `${text}\n`}${end}`;
}
