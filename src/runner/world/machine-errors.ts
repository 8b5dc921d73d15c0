/** Counts the failures of this machine during a run, so that the report does not blame the cloud for them. */
import { codeOf, reasonOf } from '../../kernel/no-answer.js';
import { humanCount } from '../../kernel/quantity.js';
import type { MachineError } from '../../report/result.js';
import type { Failed } from '../../transport/transport.js';

export class MachineErrors {
  readonly #known = new Map<string, { -readonly [K in keyof MachineError]: MachineError[K] }>();

  readonly #first: (error: MachineError) => void;

  /** @param first called with the first failure of each kind */
  constructor(first: (error: MachineError) => void = () => {}) {
    this.#first = first;
  }

  /** Counts a failure. */
  readonly add: Failed = (what, error) => {
    const code = codeOf(error);
    const known = this.#known.get(`${what} ${code}`);
    if (known !== undefined) {
      known.count++;
      return;
    }
    const first = { what, code, why: reasonOf(error), count: 1 };
    this.#known.set(`${what} ${code}`, first);
    this.#first(first);
  };

  /** All failures so far, in the order of their first occurrence. */
  get all(): readonly MachineError[] {
    return [...this.#known.values()];
  }
}

/** The failures of several processes together. */
export function together(errors: Iterable<MachineError>): readonly MachineError[] {
  const sums = new Map<string, MachineError>();
  for (const error of errors) {
    const key = `${error.what} ${error.code}`;
    sums.set(key, { ...error, count: error.count + (sums.get(key)?.count ?? 0) });
  }
  return [...sums.values()];
}

/** A warning for each kind of failure. */
export function warnedOf(errors: readonly MachineError[] = []): readonly string[] {
  return errors.map(({ code, why, count }) => {
    const times = count === 1 ? 'once' : `${humanCount(count)} times`;
    return `this machine could not resolve the name of the gateway (${times}: ${code}, ${why}); the devices kept the addresses known before`;
  });
}
