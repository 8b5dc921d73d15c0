import { type Comparison, findLeastShown, measureChange, RISK } from './compare.js';
import type { Side } from './side.js';
import { writeVerdict } from './words.js';

/** Format version, raised by changes to which programs that read the comparison must adapt. */
const FORMAT = 2;

/**
 * One indented JSON object. Durations are in milliseconds; changes and the ends of intervals are relative to A: 0.05 is 5%
 * more.
 * @param remarks what readers have to know about the runs
 */
export function writeComparisonJson(comparison: Comparison, remarks: readonly string[] = []): string {
  const { a, b, rows, different, conditions, isPaired, partial } = comparison;
  const said = {
    format: FORMAT,
    different,
    verdict: writeVerdict(comparison),
    partial: partial ?? null,
    remarks,
    a: getIdentity(a),
    b: getIdentity(b),
    ...(a.runs.length > 1 && { isPaired, confidence: 1 - RISK }),
    conditions: conditions.map(({ condition: { line }, row: { metric }, outcome, isSharp }) => {
      return { line, metric, outcome, isSharp };
    }),
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

function getIdentity({ name, runs }: Side) {
  return { name, scenario: runs[0]?.scenario ?? '', seeds: runs.map(({ seed }) => seed) };
}
