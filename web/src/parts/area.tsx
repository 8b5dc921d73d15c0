import type { Curve } from '../model/history.js';

const WIDTH = 240;
const HEIGHT = 44;

/** A line through a curve, with the range between its least and greatest values as an area; without axes. */
export function Area({ curve, label }: { readonly curve: Curve; readonly label: string }) {
  const { times, min, mean, max } = curve;
  const known = [...min, ...max].filter((value) => value !== null);
  const [begin, end] = [times[0] ?? 0, times.at(-1) ?? 0];
  if (known.length < 4 || end <= begin) return <div class="area" aria-hidden="true" />;
  const [least, most] = [Math.min(...known), Math.max(...known)];
  // A figure that hardly changes is a calm line in the middle, not a jagged one over the whole height.
  const range = Math.max(most - least, most * 0.1, 1);
  const middle = (least + most) / 2;
  const x = (n: number) => (((times[n] ?? begin) - begin) / (end - begin)) * WIDTH;
  const y = (value: number) => HEIGHT / 2 - ((value - middle) / range) * (HEIGHT - 6);
  const points = (values: readonly (number | null)[]) =>
    values.flatMap((value, n) => (value === null ? [] : [`${x(n).toFixed(1)},${y(value).toFixed(1)}`]));
  const line = points(mean);
  return (
    <svg class="area" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>{label}</title>
      <polygon class="under" points={[`0,${HEIGHT}`, ...line, `${WIDTH},${HEIGHT}`].join(' ')} />
      <polygon points={[...points(max), ...points(min).reverse()].join(' ')} />
      <polyline points={line.join(' ')} />
    </svg>
  );
}
