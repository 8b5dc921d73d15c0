/** A comparison as Markdown, for a pull request. */
import { foldLines, plainMarkdown, writeMarkdownTable } from '../markdown.js';
import { type Comparison, isDifferent } from './compare.js';
import {
  COLUMNS,
  describeCondition,
  describeMethod,
  describeSide,
  listCells,
  MARKS,
  writeHeadline,
  writeVerdict,
} from './words.js';

/**
 * Differences and conditions first; the other numbers are folded away.
 * @param remarks what readers have to know about the runs
 */
export function writeComparisonMarkdown(comparison: Comparison, remarks: readonly string[] = []): string {
  const { a, b, rows, conditions } = comparison;
  const changed = rows.filter(isDifferent);
  const others = rows.filter((row) => !isDifferent(row));
  const method = describeMethod(comparison);
  return [
    `### ${plainMarkdown(a.runs[0]?.scenario ?? '')}: ${plainMarkdown(writeHeadline(comparison))}`,
    '',
    `- **A** ${plainMarkdown(describeSide(a))}`,
    `- **B** ${plainMarkdown(describeSide(b))}`,
    ...(method === '' ? [] : [`- ${plainMarkdown(method)}`]),
    ...remarks.map((remark) => `- ⚠️ ${plainMarkdown(remark)}`),
    '',
    ...(conditions.length === 0
      ? []
      : [
          'Fails if:',
          '',
          ...conditions.map(
            (one) =>
              `- ${MARKS[one.outcome]} \`${one.condition.line.replaceAll('`', "'")}\`: ${plainMarkdown(describeCondition(one))}`,
          ),
          '',
        ]),
    ...writeMarkdownTable(COLUMNS, changed.map(listCells)),
    plainMarkdown(writeVerdict(comparison)),
    '',
    ...foldLines('No difference found', writeMarkdownTable(COLUMNS, others.map(listCells))),
  ].join('\n');
}
