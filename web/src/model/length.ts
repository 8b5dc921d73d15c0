/** A length of time in its largest unit: `3 min`. */
export function lengthText(ms: number): string {
  const s = Math.round(ms / 1000);
  const isWhole = (unit: number) => s > 0 && s % unit === 0;
  if (s < 120 && !isWhole(60)) return ms > 0 && ms < 1000 ? `${Math.round(ms)} ms` : `${s} s`;
  // Two hours are shown as `2 h` instead of `120 min`, and two days as `2 d` instead of `48 h`.
  if (s < 7170 && !isWhole(3600)) return `${Math.round(s / 60)} min`;
  if (s < 171_000 && !isWhole(86_400)) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86_400)} d`;
}

const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const;

/**
 * A measured length of time, exact to the second: `57 min 7 s`. Below a minute it is exact to a tenth of a second, and from a
 * day on to the hour.
 */
export function exactText(ms: number): string {
  if (ms > 0 && ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`;
  let rest = Math.round(ms / 1000);
  const parts: string[] = [];
  for (const [size, unit] of UNITS) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount} ${unit}`);
    if (unit === 'h' && ms >= 86_400_000) break;
  }
  return parts.join(' ');
}
