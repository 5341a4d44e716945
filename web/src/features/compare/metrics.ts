/** Metrics of jobs side by side. Pure. */
import type { components } from "@openapi";
import type { Curve } from "@/charts/series";
import { formatNumber } from "@/lib/format";
import type { Row } from "./model";

type Series = components["schemas"]["MetricSeries"];
export type Choice = "last" | "min" | "max" | "best";

/** Words in a metric's name that say that less of it is better. */
const LESS =
  /(^|[_./ -])(loss|err|error|mae|mse|rmse|mape|wer|cer|fid|perplexity|ppl|nll|latency|regret|divergence)($|[_./ -])/i;

export function isLessBetter(key: string): boolean {
  return LESS.test(key.replace(/([a-z])([A-Z])/g, "$1_$2"));
}

/** JSON has no NaN: the platform spells it. */
export function toNumber(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (value === "NaN" || value === "Infinity" || value === "-Infinity") return Number(value);
  return undefined;
}

/** The chosen figure of one series. */
export function figureOf(series: Series, choice: Choice): number | undefined {
  if (choice === "best") return toNumber(isLessBetter(series.key) ? series.min : series.max);
  return toNumber(series[choice]);
}

/** One row for each metric that any job has, with the places of the best value. */
export function metricRows(jobs: readonly (readonly Series[] | undefined)[], choice: Choice): Row[] {
  const keys = [...new Set(jobs.flatMap((series) => series?.map(({ key }) => key) ?? []))].sort();
  return keys.map((key) => {
    const figures = jobs.map((all) => {
      const series = all?.find((one) => one.key === key);
      return series === undefined ? undefined : figureOf(series, choice);
    });
    return {
      name: key,
      values: figures.map((figure) => (figure === undefined ? undefined : formatNumber(figure, 5))),
      best: bestOf(figures, isLessBetter(key)),
    };
  });
}

/** Places of the best figure; none where fewer than two jobs have one, or all are equal. */
export function bestOf(figures: readonly (number | undefined)[], less: boolean): number[] {
  const known = figures.filter((figure): figure is number => figure !== undefined && Number.isFinite(figure));
  if (known.length < 2 || known.every((figure) => figure === known[0])) return [];
  const best = less ? Math.min(...known) : Math.max(...known);
  return figures.flatMap((figure, place) => (figure === best ? [place] : []));
}

/** One curve for each job that has the metric, in the colour of its place. */
export function curvesOf(
  key: string,
  jobs: readonly { id: string; name: string; series: readonly Series[] | undefined }[],
): Curve[] {
  return jobs.flatMap(({ id, name, series }, place) => {
    const found = series?.find((one) => one.key === key);
    if (found === undefined) return [];
    const points = [...found.points].sort((a, b) => a.step - b.step);
    const y = points.map(({ value }) => toNumber(value) ?? Number.NaN);
    return [{ id, label: name, x: points.map(({ step }) => step), y, colour: place }];
  });
}
