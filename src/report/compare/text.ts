/** A comparison as text for terminals. */
import { WIDTH } from '../renderers/text-parts.js';
import { fitTable, wrap } from '../table.js';
import type { RunComparison } from './compare.js';
import { COLUMNS, listCells, writeVerdict } from './words.js';

/** @param remarks reasons for which the runs should not be compared @param width width in characters. Default: 100 */
export function writeComparisonText(
  comparison: RunComparison,
  remarks: readonly string[] = [],
  width: number = WIDTH,
): string {
  const { a, b, rows } = comparison;
  const columns = [{ title: 'metric' }, ...COLUMNS.map((title) => ({ title, align: 'right' as const })), { title: '' }];
  return `${[
    ...wrap(`A  ${a.name} · ${a.scenario} · seed ${a.seed}`, width),
    ...wrap(`B  ${b.name} · ${b.scenario} · seed ${b.seed}`, width),
    ...remarks.flatMap((remark) => wrap(`! ${remark}`, width)),
    '',
    ...fitTable(columns, rows.map(listCells), width),
    '',
    ...wrap(writeVerdict(comparison), width),
  ].join('\n')}\n`;
}
