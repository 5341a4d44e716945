/** Colour as eyes see it: contrast, distance, and simulated colour blindness. For the test of the palette. */

export type Rgb = [red: number, green: number, blue: number];
export const VISIONS = ["normal", "protanopia", "deuteranopia", "tritanopia"] as const;
export type Vision = (typeof VISIONS)[number];

/** Full severity, linear light; published by Machado, Oliveira and Fernandes (2009). */
const SIMULATION: Record<Vision, [Rgb, Rgb, Rgb]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

export function linear(hex: string): Rgb {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

/** Contrast of WCAG 2. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** CIE76 distance as seen with `vision`. */
export function distance(one: string, other: string, vision: Vision): number {
  const [a, b] = [lab(see(linear(one), vision)), lab(see(linear(other), vision))];
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

function see(colour: Rgb, vision: Vision): Rgb {
  const [r, g, b] = SIMULATION[vision].map(([x, y, z]) => {
    const value = x * colour[0] + y * colour[1] + z * colour[2];
    return Math.min(1, Math.max(0, value));
  });
  return [r ?? 0, g ?? 0, b ?? 0];
}

function luminance(hex: string): number {
  const [r, g, b] = linear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function lab([r, g, b]: Rgb): Rgb {
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function f(value: number): number {
  return value > 216 / 24389 ? Math.cbrt(value) : ((24389 / 27) * value + 16) / 116;
}
