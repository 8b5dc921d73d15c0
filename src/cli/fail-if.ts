/**
 * Reads figures, and the conditions under which a comparison fails:
 *
 *     condition = figure (">" | ">=" | "<" | "<=") ["+" | "-"] number "%"    downlink.answered p(95) > +10%
 *     figure    = duration "p(" number ")" | count
 *
 * An increase is the limit of ">", and a decrease that of "<".
 */
import { didYouMean, orList, quote } from '../input/problems.js';
import { CHANGES, type Condition, type Figure } from '../report/compare/condition.js';
import { SAMPLED } from '../trace/metrics/samples.js';

/** For messages. */
const EXAMPLE = '"downlink.answered p(95) > +10%"';

/** Reads a figure such as `downlink.answered p(95)`. Returns what is wrong as a text. */
export function parseFigure(line: string): Figure | string {
  const { figure, at, rest } = splitFigure(line);
  const wrong = (column: number, why: string) => `${quote(line)}: column ${column + 1}: ${why}`;
  if (typeof figure === 'string') return wrong(at, figure);
  const more = rest.trim();
  return more === '' ? figure : wrong(line.indexOf(more, line.length - rest.length), `unexpected ${quote(more)}`);
}

/** Returns what is wrong as a text. */
export function parseCondition(line: string): Condition | string {
  const wrong = (at: number, why: string) => `${quote(line)}: column ${at + 1}: ${why}, as in ${EXAMPLE}`;
  const { figure, at: place, rest } = splitFigure(line);
  if (typeof figure === 'string') return wrong(place, figure);
  const [, space = '', sign = '', pause = '', limit = ''] = /^(\s*)([<>=!]*)(\s*)(.*)$/s.exec(rest.trimEnd()) ?? [];
  const after = line.length - rest.length + space.length;
  const comparison = CHANGES.find((one) => one === sign);
  if (comparison === undefined) {
    const found = sign === '' ? (limit === '' ? 'the end' : quote(limit)) : quote(sign);
    return wrong(after, `expected ${orList(CHANGES)} after the figure, found ${found}`);
  }
  const [, digits] = /^([+-]?\d+(?:\.\d+)?)\s*%$/.exec(limit) ?? [];
  const at = after + sign.length + pause.length;
  if (digits === undefined)
    return wrong(at, `expected a change in percent, found ${limit === '' ? 'the end' : quote(limit)}`);
  const change = Number(digits) / 100;
  const pointless = findPointless(comparison, change, digits);
  if (pointless !== undefined) return wrong(at, `"${comparison} ${digits}%" ${pointless}`);
  return { line: line.trim(), figure, comparison, limit: change };
}

/** The figure at the beginning of a line, or what is wrong with it and where, and what follows it. */
function splitFigure(line: string) {
  const [, before = '', name = '', gap = '', of] = /^(\s*)([^\s<>=(]*)(\s*)(p\s*\([^)<>=]*\)?)?/.exec(line) ?? [];
  const figure = readFigure(name, of);
  const isOfPercent = typeof figure === 'string' && figure.startsWith('"p');
  const at = before.length + (isOfPercent ? name.length + gap.length : 0);
  return { figure, at, rest: line.slice(before.length + name.length + gap.length + (of ?? '').length) };
}

/** Why a condition would always or never be met; undefined if this depends on the runs. */
function findPointless(comparison: Condition['comparison'], change: number, digits: string): string | undefined {
  const grows = comparison.startsWith('>');
  if (grows ? change < 0 : change > 0) {
    const meant = digits.replace(/^[+-]/, '');
    return `would be met if nothing changed; write "> +${meant}%" or "< -${meant}%"`;
  }
  if (grows) return Number.isFinite(change) ? undefined : 'can never be met: nothing grows by so much';
  const isBeyondAll = comparison === '<' ? change <= -1 : change < -1;
  return isBeyondAll ? 'can never be met: nothing falls by so much' : undefined;
}

/** @param of `p(95)`, or the beginning of it */
function readFigure(name: string, of: string | undefined): Figure | string {
  const { durations, counts } = SAMPLED;
  if (of === undefined) {
    if (counts.includes(name)) return { metric: name, percent: null };
    if (durations.includes(name)) return `"${name}" needs a percentile: "${name} p(95)"`;
  }
  if (!durations.includes(name)) {
    if (counts.includes(name)) return `"${name}" is a count: it has no percentiles`;
    const known = [...new Set([...durations, ...counts])];
    const found = name === '' ? 'nothing' : quote(name);
    return `expected a figure, found ${found}${didYouMean(name, known)}: a percentile of ${orList(durations)}, or one of the counts ${orList(counts)}`;
  }
  const percent = Number(/^p\s*\(\s*(\d+(?:\.\d+)?)\s*\)$/.exec(of ?? '')?.[1]);
  if (percent > 0 && percent < 100) return { metric: name, percent };
  return `${quote(of)} is not a percentile above 0 and below 100`;
}
