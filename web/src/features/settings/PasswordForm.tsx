import { type FormEvent, useState } from "react";
import { $api } from "@/api/client";
import { useMe } from "@/api/me";
import { Button } from "@/ui/Button";
import { TextField } from "@/ui/Field";
import { notifyDone } from "@/ui/notify";
import styles from "./SettingsPage.module.css";

const SHORTEST = 12;

export function PasswordForm() {
  const me = useMe();
  const [old, setOld] = useState("");
  const [wanted, setWanted] = useState("");
  const change = $api.useMutation("post", "/api/v1/me:change-password", {
    onSuccess() {
      setOld("");
      setWanted("");
      notifyDone("The password was changed.");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!change.isPending) change.mutate({ body: { old_password: old, new_password: wanted } });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <input type="text" name="username" autoComplete="username" value={me?.username ?? ""} readOnly hidden />
      <TextField
        label="Present password"
        type="password"
        autoComplete="current-password"
        required
        value={old}
        onChange={setOld}
      />
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        minLength={SHORTEST}
        hint={`At least ${SHORTEST} characters.`}
        value={wanted}
        onChange={setWanted}
        error={change.error?.detail}
      />
      <Button type="submit" busy={change.isPending}>
        Change password
      </Button>
    </form>
  );
}
