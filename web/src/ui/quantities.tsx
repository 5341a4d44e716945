import { formatBytes, formatNumber, shortDigest } from "@/lib/format";
import { Copyable } from "./Copy";

export function Bytes({ value }: { value: number | null | undefined }) {
  if (value === null || value === undefined) return <span className="numeric">–</span>;
  return (
    <span className="numeric" title={`${value} bytes`}>
      {formatBytes(value)}
    </span>
  );
}

/** A price in the platform's currency, which has no name there. Per what must stand beside it. */
export function Price({ perHour }: { perHour: number }) {
  return <span className="numeric">{formatNumber(perHour)} / h</span>;
}

/** A digest, short, with the whole of it to copy. */
export function Digest({ value }: { value: string | null | undefined }) {
  if (value === null || value === undefined) return <span>–</span>;
  return <Copyable text={value} shown={shortDigest(value)} what="digest" />;
}
