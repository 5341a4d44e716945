import { infiniteQueryOptions } from "@tanstack/react-query";
import { api } from "@/api/client";
import { pagesOf } from "@/api/pages";

const PAGE = 100;

export const projectsQuery = () =>
  infiniteQueryOptions({
    queryKey: ["get", "/api/v1/projects", {}],
    ...pagesOf(({ cursor, signal }) =>
      api.GET("/api/v1/projects", { params: { query: { cursor, limit: PAGE } }, signal }),
    ),
  });
