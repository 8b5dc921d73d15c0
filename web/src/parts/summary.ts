import type { Message } from '../../../src/client/types.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { readingsOf } from '../model/values.js';
import { answersIn } from './answers.js';

/** Longest summary, in characters. */
const LONGEST = 120;

/** The content of a message in a few words. */
export function summaryOf({ type, body, raw, direction }: Message): string {
  if (raw !== null) return `${raw.length / 2} bytes`;
  const answers = answersIn(body);
  if (answers !== undefined) return printableLine(answers.replaceAll('\n', '  ')).slice(0, LONGEST);
  if (type === 'data' && direction === 'up') {
    const readings = readingsOf(body).slice(0, 5);
    return readings.map(({ value, unit }) => `${value} ${unit}`.trim()).join(' · ');
  }
  const text = Array.isArray(body) ? body.join('; ') : JSON.stringify(body);
  return printableLine(text ?? '').slice(0, LONGEST);
}
