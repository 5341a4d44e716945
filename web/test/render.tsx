import { QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { type RenderResult, render } from "@testing-library/react";
import type { ReactElement } from "react";
import { createQueryClient } from "@/api/queries";
import { createAppRouter } from "@/router";
import { navigateWithoutReload } from "@/shell/links";

function quickQueries() {
  const queries = createQueryClient();
  queries.setDefaultOptions({ queries: { ...queries.getDefaultOptions().queries, retry: false } });
  return queries;
}

/** Of the rendering before: its listener would take the clicks that are meant for the next one. */
let stopBefore = (): void => undefined;

/** The whole application at `address`, in front of the stand-in platform. */
export function renderAt(address: string) {
  const queries = quickQueries();
  const router = createAppRouter(queries);
  const history = createMemoryHistory({ initialEntries: [address] });
  router.update({ ...router.options, history, context: { queries } });
  stopBefore();
  const stop = navigateWithoutReload(history);
  stopBefore = stop;
  const view = render(
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  return { ...view, router, history, queries, stop };
}

/** One component that asks the platform, without the application around it. */
export function renderWithQueries(element: ReactElement): RenderResult {
  return render(<QueryClientProvider client={quickQueries()}>{element}</QueryClientProvider>);
}
