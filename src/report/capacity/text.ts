/** The result of a search for terminals. */
import { printableTexts } from '../../kernel/printable.js';
import { levelText } from '../../kernel/quantity.js';
import { wrap } from '../../kernel/table.js';
import { hangIndent, WIDTH, writeSection } from '../renderers/text-parts.js';
import type { CapacityResult } from './result.js';
import {
  cellsOf,
  columnsOf,
  failedRun,
  latencyName,
  placeText,
  questionText,
  reasonsOf,
  verdictOf,
  worstName,
} from './words.js';

const MARKS = { holds: '✓', fails: '✗', 'generator limit': '?' } as const;

/** @param width width in characters. Default: 100 */
export function capacityText(unsafe: CapacityResult, width: number = WIDTH): string {
  const result = printableTexts(unsafe);
  const { scenario, seed, unit, levels, notes, sentence, advice, reproduce } = result;
  const failed = failedRun(result);
  const rows = levels.map((level) => [
    `${MARKS[level.kind]} ${levelText(level.value, unit)}`,
    ...cellsOf(level, result),
    level.kind === 'generator limit' ? level.kind : '',
  ]);
  const times = latencyName(result);
  const reasons = failed === undefined ? [] : reasonsOf(failed);
  const blocks = [
    [
      ...wrap(`${scenario} · capacity of ${questionText(result)}`, width),
      ...wrap(`seed ${seed} · ${placeText(result)}`, width),
    ],
    levels.length === 0 ? [] : writeSection('level', [...columnsOf(result), ''], rows, width),
    [times === undefined ? [] : `p50, p95 and p99: ${times}`, worstName(result) ?? []]
      .flat()
      .flatMap((line) => wrap(line, width)),
    reasons.length === 0 || failed === undefined
      ? []
      : [
          `${failed.kind === 'fails' ? 'fails first' : failed.kind}, at ${levelText(failed.value, unit)}`,
          ...reasons.flatMap((reason) => hangIndent(reason, width)),
        ],
    notes.flatMap((note) => wrap(`! ${note}`, width)),
    [
      ...wrap(`${verdictOf(result).word} · ${sentence}`, width),
      ...(advice === null ? [] : wrap(advice, width)),
      reproduce,
    ],
  ];
  return `${blocks
    .filter((block) => block.length > 0)
    .map((block) => block.join('\n'))
    .join('\n\n')}\n`;
}
