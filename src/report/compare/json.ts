import { type ComparedRun, findLeastShown, measureChange, type RunComparison } from './compare.js';
import { writeVerdict } from './words.js';

/** Format version, raised by changes to which programs that read the comparison must adapt. */
const FORMAT = 1;

/**
 * One indented JSON object. Durations are in milliseconds; changes and the ends of intervals are relative to A: 0.05 is 5%
 * more.
 * @param remarks reasons for which the runs should not be compared
 */
export function writeComparisonJson(comparison: RunComparison, remarks: readonly string[] = []): string {
  const { a, b, rows, different } = comparison;
  const said = {
    format: FORMAT,
    different,
    verdict: writeVerdict(comparison),
    remarks,
    a: getIdentity(a),
    b: getIdentity(b),
    metrics: rows.map((row) => {
      const { metric, unit, interval, verdict: judged } = row;
      const change = interval === null ? null : interval.map((ratio) => ratio - 1);
      const values = { metric, unit, a: row.a, b: row.b, change: measureChange(row), interval: change };
      // JSON has no Infinity: `increase` is then null.
      return { ...values, wouldShow: findLeastShown(row), verdict: judged };
    }),
  };
  return `${JSON.stringify(said, null, 2)}\n`;
}

function getIdentity({ name, scenario, seed }: ComparedRun): Pick<ComparedRun, 'name' | 'scenario' | 'seed'> {
  return { name, scenario, seed };
}
