/** A comparison as Markdown, for a pull request. */
import { type Comparison, isDifferent, type MetricDifference } from './compare.js';
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
    `### ${plain(a.runs[0]?.scenario ?? '')}: ${plain(writeHeadline(comparison))}`,
    '',
    `- **A** ${plain(describeSide(a))}`,
    `- **B** ${plain(describeSide(b))}`,
    ...(method === '' ? [] : [`- ${plain(method)}`]),
    ...remarks.map((remark) => `- ⚠️ ${plain(remark)}`),
    '',
    ...(conditions.length === 0
      ? []
      : [
          'Fails if:',
          '',
          ...conditions.map(
            (one) =>
              `- ${MARKS[one.outcome]} \`${one.condition.line.replaceAll('`', "'")}\`: ${plain(describeCondition(one))}`,
          ),
          '',
        ]),
    ...(changed.length === 0 ? [] : [...writeTable(changed), '']),
    plain(writeVerdict(comparison)),
    '',
    ...(others.length === 0
      ? []
      : ['<details><summary>No difference found</summary>', '', ...writeTable(others), '', '</details>', '']),
  ].join('\n');
}

function writeTable(rows: readonly MetricDifference[]): readonly string[] {
  const line = (cells: readonly string[]) => `| ${cells.map(plain).join(' | ')} |`;
  return [
    line(['metric', ...COLUMNS, '']),
    `| --- |${COLUMNS.map(() => ' ---: |').join('')} --- |`,
    ...rows.map((row) => line(listCells(row))),
  ];
}

/** Names of scenarios and paths are texts of users: none of their characters makes markup or ends a cell. */
function plain(text: string): string {
  return text
    .replaceAll(/[\r\n]+/g, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_[\]|#@]/g, (sign) => `\\${sign}`);
}
