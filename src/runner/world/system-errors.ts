/**
 * Counts the errors that the system reports during a run, apart from what the cloud does. If this machine could not send, the
 * run is invalid: the cloud cannot answer what it does not get. The same holds for answers that exceed a limit of ghostfleet.
 */

import { countOf, humanCount } from '../../kernel/quantity.js';
import { codeOf, isOfThisMachine, reasonOf } from '../../kernel/system-errors.js';
import type { SystemError } from '../../report/result.js';
import type { Failed } from '../../transport/transport.js';

export class SystemErrors {
  readonly #known = new Map<string, { -readonly [K in keyof SystemError]: SystemError[K] }>();
  readonly #first: (error: SystemError) => void;

  /** @param first called with the first error of each kind */
  constructor(first: (error: SystemError) => void = () => {}) {
    this.#first = first;
  }

  /** Counts an error. */
  readonly add: Failed = (what, error) => {
    const code = codeOf(error);
    const known = this.#known.get(`${what} ${code}`);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const first = {
      what,
      own: what === 'name' || what === 'answer' || isOfThisMachine(code),
      code,
      why: reasonOf(error),
      count: 1,
    };
    this.#known.set(`${what} ${code}`, first);
    this.#first(first);
  };

  /** All errors so far, in the order of their first occurrence. */
  get all(): readonly SystemError[] {
    return [...this.#known.values()];
  }
}

/** The errors of several processes together. */
export function mergeErrors(errors: Iterable<SystemError>): readonly SystemError[] {
  const sums = new Map<string, SystemError>();
  for (const error of errors) {
    const key = `${error.what} ${error.code}`;
    sums.set(key, { ...error, count: error.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}

/** A sentence about errors of one kind. */
export function describeError({ what, own, code, why, count }: SystemError): string {
  if (what === 'name') {
    const times = count === 1 ? 'once' : `${humanCount(count)} times`;
    return `this machine could not resolve the name of the gateway (${times}: ${code}, ${why}); the devices kept the addresses known before`;
  }
  const things = countOf(count, what);
  if (what === 'answer') return `ghostfleet gave up ${things}, because of a limit of its own: ${why}`;
  return own
    ? `this machine could not send ${things}: ${code}, ${why}${REMEDIES[code] ?? ''}`
    : `${things} of the run got no answer: ${code}, ${why}`;
}

/** Why the errors make the run invalid; null if nothing was lost by them. */
export function findErrorSpoiling(errors: readonly SystemError[]): string | null {
  const sentences = errors.filter(({ what, own }) => own && what !== 'name').map(describeError);
  return sentences.length === 0 ? null : sentences.join('; ');
}

const MORE_PORTS = '; use a wider range of local ports (ip_local_port_range), or divide the run among machines';

/** What to do, by the codes of the errors. */
const REMEDIES: Readonly<Record<string, string>> = {
  EMFILE: '; raise the limit, for example with "ulimit -n 65536"',
  EPERM: '; a firewall of this machine may block them',
  EADDRINUSE: MORE_PORTS,
  EADDRNOTAVAIL: MORE_PORTS,
};
