/** What devices print, on its way to the user: from one device as it comes, from many grouped. */
import type { Alarm, Clock } from '../kernel/clock.js';
import { grouped, type Printed } from './grouping.js';

/** Late parts of many devices come one by one; this long they are gathered, in ms. */
const GATHER = 200;

/** Shows lines to the user. */
export type Print = (lines: readonly string[]) => void;

export class Screen {
  readonly #clock: Clock;
  readonly #print: Print;
  #gathered: Printed[] = [];
  #flush: Alarm | undefined;
  /** Whether the first parts are all there; until then the number of devices is not known. */
  #all = false;
  #single = false;

  constructor(clock: Clock, print: Print) {
    this.#clock = clock;
    this.#print = print;
  }

  add(part: Printed & { readonly more: boolean }): void {
    // An empty part only says whether the command continues.
    if (part.lines.length === 0 && part.code >= 0 && (part.more || this.#all)) return;
    this.#gathered.push(part);
    if (!this.#all) return;
    if (this.#single) this.#show();
    else this.#flush ??= this.#clock.after(GATHER, 'late output of devices', () => this.#show());
  }

  /** All devices have been asked. */
  asked(devices: number): void {
    this.#all = true;
    this.#single = devices === 1;
    this.#show();
  }

  /** Shows what is left. */
  end(): void {
    this.#flush?.cancel();
    this.#show();
  }

  #show(): void {
    const parts = this.#gathered;
    this.#gathered = [];
    this.#flush = undefined;
    if (parts.length > 0) this.#print(this.#single ? parts.flatMap((part) => part.lines) : grouped(parts));
  }
}
