/** Names of causes, and of the changes that remove them. */
import { formatDuration, type Millis } from '../kernel/time.js';
import type { CauseKey } from './causes.js';
import type { ExplainedCause } from './explanation.js';
import type { FleetPart, Situation } from './situation.js';

export class CauseNames {
  readonly #faults: Situation['faults'];
  readonly #part: FleetPart | undefined;

  constructor({ faults }: Situation, part: FleetPart | undefined) {
    this.#faults = faults;
    this.#part = part;
  }

  fault(index: number): string {
    const { what, whom } = this.#faults[index] ?? { what: 'a fault', whom: '' };
    return whom === '' ? what : `${what} (${whom})`;
  }

  of(cause: CauseKey): ExplainedCause {
    switch (cause) {
      case 'interval':
        return { kind: cause, name: intervalName(this.#part) };
      case 'power-on':
        return { kind: cause, name: 'not switched on yet' };
      case 'encoder':
        return { kind: cause, name: 'no encoder' };
      case 'downlinks':
        return { kind: cause, name: 'other downlinks first' };
      case 'update':
        return { kind: cause, name: 'firmware update first' };
      default:
        return { kind: 'fault', name: this.fault(Number(cause.slice('fault:'.length))) };
    }
  }

  /** `without outage`, `with interval-poll 60` */
  change(cause: CauseKey): string {
    switch (cause) {
      case 'interval':
        return this.#part?.pollEvery === null ? 'with interval-report 60' : 'with interval-poll 60';
      case 'power-on':
        return 'with the device switched on from the start';
      case 'encoder':
        return 'as a shell downlink, which needs no encoder';
      case 'downlinks':
        return 'without the other downlinks';
      case 'update':
        return 'without the firmware update';
      default:
        return `without ${this.of(cause).name}`;
    }
  }
}

/** `next report (every 30m, no polls)` */
export function intervalName(part: FleetPart | undefined): string {
  if (part === undefined) return 'next report or poll';
  const reports = intervalText(part.reportEvery);
  const polls = intervalText(part.pollEvery);
  if (reports === undefined && polls === undefined) return 'next contact (no regular reports, no polls)';
  if (polls === undefined) return `next report (every ${reports}, no polls)`;
  if (reports === undefined) return `next poll (every ${polls}, no regular reports)`;
  return `next report or poll (every ${reports}, every ${polls})`;
}

/** undefined if reports or polls are off, or if the device type has none. */
function intervalText(every: Millis | null): string | undefined {
  return every === null || every === 0 ? undefined : formatDuration(every);
}
