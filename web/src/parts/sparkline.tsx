const WIDTH = 84;
const HEIGHT = 20;

/** A line through a few values, without axes. @param label what it shows, for screen readers */
export function Sparkline({ values, label }: { readonly values: readonly number[]; readonly label: string }) {
  if (values.length < 2) return <span class="dim">–</span>;
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // Halves, because the range of the largest numbers is not finite.
  const range = most / 2 - least / 2 || 1;
  const points = values.map((value, i) => {
    const x = 1 + (i * (WIDTH - 2)) / (values.length - 1);
    const y = HEIGHT - 2 - ((value / 2 - least / 2) / range) * (HEIGHT - 4);
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} width={WIDTH} height={HEIGHT} role="img">
      <title>{label}</title>
      <polyline points={points.join(' ')} />
    </svg>
  );
}
