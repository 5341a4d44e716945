const STORED_UNDER = "mlp.project";

/** The project that was last looked at in this browser. */
export function lastProject(): string | null {
  try {
    return localStorage.getItem(STORED_UNDER);
  } catch {
    return null; // storage is off
  }
}

export function rememberProject(project: string): void {
  try {
    localStorage.setItem(STORED_UNDER, project);
  } catch {
    // Storage is off: the next visit starts with the first project.
  }
}
