import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { keepCacheLive } from "./api/live";
import { createQueryClient, meQuery } from "./api/queries";
import { eventStream } from "./api/stream";
import { applyPreferences } from "./preferences/preferences";
import { createAppRouter } from "./router";
import { focusAfterNavigation } from "./shell/focus";
import { navigateWithoutReload } from "./shell/links";
import { listenForShortcuts } from "./shortcuts/registry";

const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no element #root");

const queries = createQueryClient();
const router = createAppRouter(queries);

applyPreferences();
keepCacheLive(queries);
listenForShortcuts();
navigateWithoutReload(router.history);
focusAfterNavigation(router);
document.addEventListener("visibilitychange", () => eventStream.visibilityChanged(document.hidden));
// Asked for at once, while the page's own code still loads. What goes wrong with it is shown by the shell.
if (globalThis.location.pathname !== "/sign-in") void queries.prefetchQuery(meQuery());

createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
