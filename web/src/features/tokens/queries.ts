import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import { pagesOf } from "@/api/pages";

const PAGE = 100;

export const tokensQuery = () =>
  infiniteQueryOptions({
    queryKey: ["get", "/api/v1/tokens", {}],
    ...pagesOf(({ cursor, signal }) =>
      api.GET("/api/v1/tokens", { params: { query: { cursor, limit: PAGE } }, signal }),
    ),
  });
