/**
 * Groups devices with equal answers, as cluster shells do:
 *
 *     140 × cellar-0001…0140
 *       app config interval-report 900
 *     cellar-0150
 *       app config interval-report 60
 */
import { errorText } from '../protocol/errno.js';

/** The code of a line that the device did not execute. */
export const FAILED = -1;

export interface Printed {
  /** Name of the device. */
  readonly from: string;
  readonly code: number;
  readonly lines: readonly string[];
}

/** The groups as text, largest first; groups of equal size are in the order of their first device. */
export function grouped(answers: readonly Printed[]): readonly string[] {
  const groups = new Map<string, { readonly first: Printed; readonly names: string[] }>();
  for (const answer of answers) {
    const key = JSON.stringify([answer.code, answer.lines]);
    const group = groups.get(key);
    if (group) group.names.push(answer.from);
    else groups.set(key, { first: answer, names: [answer.from] });
  }
  return [...groups.values()]
    .sort((a, b) => b.names.length - a.names.length)
    .flatMap(({ first, names }) => [heading(names, first), ...first.lines.map((line) => `  ${line}`)]);
}

function heading(names: readonly string[], { code, lines }: Printed): string {
  const who = names.length === 1 ? names.join('') : `${names.length} × ${folded(names)}`;
  if (code === FAILED) return `${who}: not done`;
  if (code < 0) return `${who}: ${errorText(code)}`;
  return lines.length === 0 ? `${who}: nothing printed` : who;
}

/** Maximum number of ranges of names in a heading. */
const MOST_RUNS = 6;

/** `cellar-0001…0140, cellar-0150, attic-0001` */
function folded(names: readonly string[]): string {
  const runs: { readonly prefix: string; readonly from: string; to: string }[] = [];
  for (const name of [...names].sort()) {
    const [, prefix = name, digits = ''] = /^(.*(?<!\d)|)(\d+)$/.exec(name) ?? [];
    const last = runs.at(-1);
    const follows =
      last?.prefix === prefix && last.to.length === digits.length && Number(last.to) + 1 === Number(digits);
    if (last && follows && digits !== '') last.to = digits;
    else runs.push({ prefix, from: digits, to: digits });
  }
  const shown = runs.slice(0, MOST_RUNS).map(({ prefix, from, to }) => prefix + (from === to ? from : `${from}…${to}`));
  return shown.join(', ') + (runs.length > MOST_RUNS ? ', …' : '');
}
