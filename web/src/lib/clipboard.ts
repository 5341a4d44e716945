/** Puts `text` on the clipboard, also where the page is not in a secure context. Says whether it worked. */
export async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard !== undefined) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      // The browser may refuse it (no permission, page not in front); the older way still may work.
      return copyBySelection(text);
    }
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const before = document.activeElement;
  const field = document.createElement("textarea");
  field.value = text;
  field.setAttribute("readonly", "");
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  try {
    return document.execCommand("copy");
  } finally {
    field.remove();
    if (before instanceof HTMLElement) before.focus();
  }
}
