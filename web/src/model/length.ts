/** A length of time in its largest unit: `3 min`. */
export function lengthText(ms: number): string {
  const s = Math.round(ms / 1000);
  if (s < 120) return ms < 1000 ? `${Math.round(ms)} ms` : `${s} s`;
  if (s < 7200) return `${Math.round(s / 60)} min`;
  if (s < 172_800) return `${Math.round(s / 3600)} h`;
  return `${Math.round(s / 86_400)} d`;
}
