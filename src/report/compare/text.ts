/** A comparison as text for terminals. */
import { printableLine, printableTexts } from '../../kernel/printable.js';
import { fitTable, wrap } from '../../kernel/table.js';
import { WIDTH } from '../renderers/text-parts.js';
import type { Comparison } from './compare.js';
import { COLUMNS, describeCondition, describeMethod, describeSide, listCells, MARKS, writeVerdict } from './words.js';

/** @param remarks what readers have to know about the runs @param width width in characters. Default: 100 */
export function writeComparisonText(
  unsafe: Comparison,
  remarks: readonly string[] = [],
  width: number = WIDTH,
): string {
  // The names and lines come from files of others.
  const comparison = printableTexts(unsafe);
  const { a, b, rows, conditions } = comparison;
  const method = describeMethod(comparison);
  const judged = conditions.flatMap((one) =>
    wrap(`${MARKS[one.outcome]} ${one.condition.line}: ${describeCondition(one)}`, width - 2),
  );
  return `${[
    ...wrap(`A  ${describeSide(a)}`, width),
    ...wrap(`B  ${describeSide(b)}`, width),
    ...(method === '' ? [] : wrap(method, width)),
    ...remarks.flatMap((remark) => wrap(`! ${printableLine(remark)}`, width)),
    '',
    ...fitTable(COLUMNS, rows.map(listCells), width),
    '',
    ...(judged.length === 0 ? [] : ['fails if', ...judged.map((line) => `  ${line}`), '']),
    ...wrap(writeVerdict(comparison), width),
  ].join('\n')}\n`;
}
