/** The values that the iterations of all loads of a run have captured and may still use, with a limit for all together. */
import { LARGEST_ANSWER } from '../../client/http.js';
import { OwnLimit } from '../../kernel/own-limit.js';
import type { Failed } from '../../transport/transport.js';

/** Maximum of the memory of all values, in bytes. */
const MOST = 4 * LARGEST_ANSWER;
const LIMIT = new OwnLimit('captured-values', `captured values take more than ${MOST / 1_048_576} MiB`);
const TOO_MUCH = `the chain was ended by ghostfleet (${LIMIT.message})`;

export class Captures {
  readonly #failed: Failed;
  #bytes = 0;

  /** @param failed called for each answer with a value that cannot be kept */
  constructor(failed: Failed = () => {}) {
    this.#failed = failed;
  }

  /** Why a further value of `bytes` cannot be kept; undefined if it is kept until {@link release}. */
  keep(bytes: number): string | undefined {
    if (this.#bytes + bytes > MOST) {
      this.#failed('answer', LIMIT);
      return TOO_MUCH;
    }
    this.#bytes += bytes;
    return undefined;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** About how much memory an entry of an object or a list takes, in bytes. */
const ENTRY = 64;

/** About how much memory a JSON value takes, in bytes. */
export function memoryOf(value: unknown): number {
  let bytes = 0;
  for (const left = [value]; left.length > 0; ) {
    const one = left.pop();
    bytes += ENTRY;
    if (typeof one === 'string') bytes += 2 * one.length;
    else if (Array.isArray(one)) for (const item of one) left.push(item);
    else if (typeof one === 'object' && one !== null) {
      for (const [key, item] of Object.entries(one)) {
        bytes += ENTRY + 2 * key.length;
        left.push(item);
      }
    }
  }
  return bytes;
}
