/** What became of a message that a connector forwards, in words. */
import type { Delivery } from '../../../src/client/types.js';
import { printableLine } from '../../../src/kernel/printable.js';
import { counted } from './count.js';

type Attempt = Delivery['log'][number];

/** `2 attempts, the last one: 503` */
export function attemptsText({ state, attempts, log }: Pick<Delivery, 'state' | 'attempts' | 'log'>): string {
  const last = log.at(-1);
  const reason = last === undefined || state === 'delivered' ? '' : `, the last one: ${resultOf(last)}`;
  return `${counted(attempts, 'attempt')}${reason}`;
}

/** The status of the response, or why there is none. */
export function resultOf({ status, error }: Pick<Attempt, 'status' | 'error'>): string {
  const reason = printableLine(error ?? '');
  if (status === null) return reason === '' ? 'no response' : reason;
  return `${status} ${reason}`.trim();
}
