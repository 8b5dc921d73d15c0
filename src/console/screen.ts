/** Shows the output of devices: immediately for one device, grouped for several. */
import type { Alarm, Clock } from '../kernel/clock.js';
import { grouped, type Printed } from './grouping.js';

/** Late parts of several devices are collected for this time before they are shown, in ms. */
const GATHER = 200;

/** Shows lines to the user. */
export type Print = (lines: readonly string[]) => void;

export class Screen {
  readonly #clock: Clock;
  readonly #print: Print;
  #gathered: Printed[] = [];
  #flush: Alarm | undefined;
  /** Whether all devices received the command; until then their number is not known. */
  #all = false;
  #single = false;

  constructor(clock: Clock, print: Print) {
    this.#clock = clock;
    this.#print = print;
  }

  add(part: Printed & { readonly more: boolean }): void {
    // An empty part only indicates whether the command continues.
    if (part.lines.length === 0 && part.code >= 0 && (part.more || this.#all)) return;
    this.#gathered.push(part);
    if (!this.#all) return;
    if (this.#single) this.#show();
    else this.#flush ??= this.#clock.after(GATHER, 'late output of devices', () => this.#show());
  }

  /** To be called when all devices received the command. */
  asked(devices: number): void {
    this.#all = true;
    this.#single = devices === 1;
    this.#show();
  }

  /** Shows the parts that are still collected. */
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
