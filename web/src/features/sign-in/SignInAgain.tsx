import { useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/api/me";
import { sessionState } from "@/api/session-state";
import { Dialog } from "@/ui/Dialog";
import { SignInForm } from "./SignInForm";

/** Over the page that was open: what was typed there stays. Another person starts anew. */
export default function SignInAgain() {
  const queries = useQueryClient();
  const before = useMe()?.username;
  const done = (username: string) => {
    if (before !== undefined && username !== before) {
      globalThis.location.assign("/");
      return;
    }
    sessionState.set("active");
    void queries.invalidateQueries();
  };
  return (
    <Dialog title="Your session has ended" width={380} persistent onClose={() => undefined}>
      <p>Sign in again to go on. What you typed on this page is kept.</p>
      <SignInForm onDone={done} username={before} />
    </Dialog>
  );
}
