/** The value of a figure: the one that a comparison shows and that a list of runs shows. */
import type { Figure } from './condition.js';
import { joinRuns } from './repeated.js';
import { sumOf } from './sample.js';
import type { Side } from './side.js';

/** In ms for a percentile, of all durations of a side together; for a count, per run. null without a value in each run. */
export function measureFigure({ runs }: Side, { metric, percent }: Figure): number | null {
  if (percent === null) return sumOf(runs.map(({ samples }) => sumOf(samples.counts[metric] ?? []))) / runs.length;
  const found = runs.flatMap(({ samples }) => samples.durations[metric] ?? []);
  const [first] = found;
  if (first === undefined || found.length < runs.length || found.some(({ steps }) => steps !== first.steps))
    return null;
  const sample = joinRuns(found);
  return sample.total === 0 ? null : sample.getPercentile(percent);
}
