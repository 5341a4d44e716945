import { useBlocker } from "@tanstack/react-router";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";

/** Asks before a page with unsaved work is left, within the application and out of it. */
export function Leaving({ when, onLeave }: { when: () => boolean; onLeave: () => void }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && when(),
    enableBeforeUnload: when,
    withResolver: true,
  });
  if (status !== "blocked") return null;
  const leave = () => {
    onLeave();
    proceed();
  };
  return (
    <Dialog
      title="Leave this job unsubmitted?"
      onClose={reset}
      actions={
        <>
          <Button onClick={leave}>Discard it</Button>
          <Button kind="primary" onClick={reset}>
            Keep writing
          </Button>
        </>
      }
    >
      <p>What you wrote is lost when you leave.</p>
    </Dialog>
  );
}
