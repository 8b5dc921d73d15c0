/**
 * A length of time in its largest unit, for ages and expectations: `3m`. Measured times are exact: `humanDuration` writes
 * them with the same units, as in explanations and reports.
 */
export function lengthText(ms: number): string {
  const s = Math.round(ms / 1000);
  const isWhole = (unit: number) => s > 0 && s % unit === 0;
  if (s < 120 && !isWhole(60)) return ms > 0 && ms < 1000 ? `${Math.round(ms)}ms` : `${s}s`;
  // Two hours are shown as `2h` instead of `120m`, and two days as `2d` instead of `48h`.
  if (s < 7170 && !isWhole(3600)) return `${Math.round(s / 60)}m`;
  if (s < 171_000 && !isWhole(86_400)) return `${Math.round(s / 3600)}h`;
  return `${Math.round(s / 86_400)}d`;
}
