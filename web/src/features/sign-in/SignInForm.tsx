import { type FormEvent, useState } from "react";
import { toApiError } from "@/api/errors";
import { type Credentials, signIn } from "@/api/session";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import styles from "./SignIn.module.css";

interface SignInFormProps {
  onDone: (username: string) => void;
  /** Known when somebody signs in again. */
  username?: string | undefined;
}

/** By password or by token. Pasting and password managers work; nothing has to be remembered or solved. */
export function SignInForm({ onDone, username: known = "" }: SignInFormProps) {
  const [by, setBy] = useState<"password" | "token">("password");
  const [username, setUsername] = useState(known);
  const [password, setPassword] = useState("");
  const [token, setToken] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    const credentials: Credentials = by === "password" ? { username, password } : { token: token.trim() };
    try {
      onDone(await signIn(credentials));
    } catch (error) {
      const { detail, hint, isOffline } = toApiError(error);
      setProblem(isOffline && hint ? `${detail} ${hint}` : detail);
    } finally {
      setBusy(false);
    }
  };

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      {by === "password" ? (
        <>
          <TextField
            label="Username"
            name="username"
            autoComplete="username"
            required
            value={username}
            onChange={setUsername}
          />
          <TextField
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={setPassword}
          />
        </>
      ) : (
        <TextField
          label="Token"
          name="token"
          type="password"
          autoComplete="off"
          required
          value={token}
          onChange={setToken}
          hint="As made with mlp token create, or shown by mlp up."
        />
      )}
      {problem !== null && (
        <p className={styles.problem} role="alert">
          {problem}
        </p>
      )}
      <Button type="submit" kind="primary" busy={busy}>
        Sign in
      </Button>
      <Button kind="quiet" onClick={() => setBy(by === "password" ? "token" : "password")}>
        {by === "password" ? "Use a token instead" : "Use a password instead"}
      </Button>
    </form>
  );
}
