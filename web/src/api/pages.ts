interface Page {
  items: unknown[];
  next?: string | null;
}

interface PageRequest {
  cursor: string | undefined;
  signal: AbortSignal;
}

/** The moving parts of `infiniteQueryOptions` for one of the API's lists: a cursor leads from page to page. */
export function pagesOf<T extends Page>(read: (request: PageRequest) => Promise<{ data?: T }>) {
  return {
    queryFn: async ({ pageParam, signal }: { pageParam: string | undefined; signal: AbortSignal }): Promise<T> => {
      const { data } = await read({ cursor: pageParam, signal });
      if (data === undefined) throw new Error("the platform answered without a page");
      return data;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last: T) => last.next ?? undefined,
  };
}

/** All rows read so far. */
export function rowsOf<Row>(data: { pages: { items: Row[] }[] } | undefined): Row[] {
  return data?.pages.flatMap((page) => page.items) ?? [];
}
