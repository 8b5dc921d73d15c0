import type { Message } from '../../../src/client/types.js';
import { isObject } from '../../../src/kernel/json-text.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { readingsOf, shortName, valueText } from '../model/values.js';
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
    return readings.map(({ name, value, unit }) => `${shortName(name)} ${valueText(value, unit)}`).join(' · ');
  }
  const known = isObject(body) ? factsIn(type, body) : [];
  if (known.length > 0) return printableLine(known.join(' ')).slice(0, LONGEST);
  const text = Array.isArray(body) ? body.join('; ') : JSON.stringify(body);
  return printableLine(text ?? '').slice(0, LONGEST);
}

/** The most important values of a message as short texts; empty if the message has none. */
function factsIn(type: string, body: Readonly<Record<string, unknown>>): readonly string[] {
  switch (type) {
    case 'session':
      // In a session uplink, the device names its firmware; in the downlink, the cloud answers with the number of the session.
      return 'session_id' in body ? [`session ${body.session_id}`] : present([body.fw_name, body.fw_version]);
    case 'decoder':
    case 'encoder':
      return present([body.name, body.version === undefined ? undefined : `version ${body.version}`]);
    case 'firmware':
      return present([body.target, body.type, 'offset' in body ? `from byte ${body.offset}` : undefined]);
    default:
      return [];
  }
}

function present(facts: readonly unknown[]): readonly string[] {
  return facts.filter((fact) => typeof fact === 'string');
}
