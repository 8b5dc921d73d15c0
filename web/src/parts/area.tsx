import type { Curve } from '../model/history.js';

const WIDTH = 240;
const HEIGHT = 44;

interface AreaProps {
  readonly curve: Curve;
  readonly label: string;
  /** Whether the area fits the values, as for measured values; otherwise it begins at 0. */
  readonly fits: boolean;
}

/** A line through a curve, with the range between its least and greatest values as an area; without axes. */
export function Area({ curve, label, fits }: AreaProps) {
  const { times, min, mean, max } = curve;
  const known = [...min, ...max].filter((value) => value !== null);
  const [begin, end] = [times[0] ?? 0, times.at(-1) ?? 0];
  if (known.length < 4 || end <= begin) return <div class="area" aria-hidden="true" />;
  const [least, most] = [fits ? Math.min(...known) : 0, Math.max(...known)];
  // A measured value that hardly changes is a calm line in the middle, not a jagged one over the whole height.
  const range = fits ? Math.max(most - least, most * 0.1, 1) : most || 1;
  const middle = fits ? least / 2 + most / 2 : range / 2;
  const x = (n: number) => (((times[n] ?? begin) - begin) / (end - begin)) * WIDTH;
  const y = (value: number) => HEIGHT / 2 - ((value - middle) / range) * (HEIGHT - 6);
  const points = (values: Curve['mean'], { first, end }: Run) =>
    values.slice(first, end).map((value, n) => `${x(first + n).toFixed(1)},${y(value ?? least).toFixed(1)}`);
  return (
    <svg class="area" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img">
      <title>{label}</title>
      {runsOf(mean).map((run) => {
        const line = points(mean, run);
        const under = [`${x(run.first).toFixed(1)},${HEIGHT}`, ...line, `${x(run.end - 1).toFixed(1)},${HEIGHT}`];
        return (
          <g key={run.first}>
            <polygon class="under" points={under.join(' ')} />
            <polygon points={[...points(max, run), ...points(min, run).reverse()].join(' ')} />
            <polyline points={line.join(' ')} />
          </g>
        );
      })}
    </svg>
  );
}

/** Known values without a gap between them. `end` is the index after the last one. */
interface Run {
  readonly first: number;
  end: number;
}

function runsOf(values: Curve['mean']): readonly Run[] {
  const runs: Run[] = [];
  values.forEach((value, n) => {
    if (value === null) return;
    const last = runs.at(-1);
    if (last?.end === n) last.end = n + 1;
    else runs.push({ first: n, end: n + 1 });
  });
  return runs;
}
