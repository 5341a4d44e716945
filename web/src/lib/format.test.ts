import { describe, expect, it } from "vitest";
import { formatBytes, formatCount, formatDuration, formatNumber, plural, shortDigest, shorten } from "./format";

describe("numbers", () => {
  it.each([
    [0, "0 B"],
    [1, "1 B"],
    [1023, "1023 B"],
    [1024, "1 KiB"],
    [1536, "1.5 KiB"],
    [1024 ** 2 - 1, "1 MiB"],
    [17.2 * 1024 ** 2, "17.2 MiB"],
    [2 * 1024 ** 3, "2 GiB"],
    [-2048, "−2 KiB"],
    [Number.NaN, "–"],
  ])("%d bytes read %s", (bytes, expected) => expect(formatBytes(bytes)).toBe(expected));

  it.each([
    [0, "0 s"],
    [0.3, "<1 s"],
    [59.6, "1 min"],
    [3725, "1 h 2 min"],
    [86_400, "1 d"],
    [90_061, "1 d 1 h"],
    [-5, "0 s"],
  ])("%d seconds read %s", (seconds, expected) => expect(formatDuration(seconds)).toBe(expected));

  it.each([
    [0, "0"],
    [0.0001, "1e-4"],
    [0.00012345, "1.23e-4"],
    [0.98216, "0.9822"],
    [12.3456, "12.35"],
    [1234567, "1,234,567"],
    [1234.5678, "1,235"],
    [-0.5, "−0.5"],
    [5e12, "5e12"],
    [Number.NaN, "NaN"],
    [Number.POSITIVE_INFINITY, "∞"],
  ])("the measured value %d reads %s", (value, expected) => expect(formatNumber(value)).toBe(expected));

  it("never shows a small value as zero", () => {
    for (let value = 1; value > 1e-12; value /= 3) expect(formatNumber(value)).not.toBe("0");
  });

  it("counts", () => {
    expect(formatCount(10_000)).toBe("10,000");
    expect(plural(1, "job")).toBe("1 job");
    expect(plural(2, "job")).toBe("2 jobs");
  });

  it("shortens", () => {
    expect(shortDigest(`sha256:${"ab".repeat(32)}`)).toBe("abababababab");
    expect(shorten("abcdef", 4)).toBe("abc…");
    expect(shorten("abcd", 4)).toBe("abcd");
  });
});
