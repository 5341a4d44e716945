import { queryOptions } from "@tanstack/react-query";
import { ApiError } from "@/api/errors";
import { downloads, type JobKey } from "../queries";

export interface Result {
  size: number | null;
}

/** The size of the result: the head of the answer says it, and the body is not read. Null once it was removed after its time. */
export const resultQuery = (key: JobKey) =>
  queryOptions({
    queryKey: ["result", key],
    queryFn: async ({ signal }): Promise<Result | null> => {
      const response = await globalThis
        .fetch(downloads.result(key), { credentials: "same-origin", signal })
        .catch((error: unknown) => {
          throw ApiError.offline(error);
        });
      if (response.status === 404) return null;
      if (!response.ok) throw await ApiError.fromResponse(response);
      await response.body?.cancel();
      const size = Number(response.headers.get("content-length"));
      return { size: size > 0 ? size : null };
    },
  });
