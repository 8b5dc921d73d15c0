/** Why a downlink waits. Causes are compared by their texts: `fault:3`, `interval`. Their names are for users. */
import { formatDuration, type Millis } from '../kernel/time.js';
import type { ContactReason } from '../trace/events.js';
import type { ExplainedCause } from './explanation.js';
import type { FleetPart, Situation } from './situation.js';

/**
 * | cause | the downlink waits |
 * |---|---|
 * | `fault:N` | because of fault N of the situation |
 * | `interval` | for the next report or poll of a device at rest |
 * | `power-on` | until the device is switched on for the first time |
 * | `encoder` | for an encoder, which the device type does not have |
 * | `length` | because it is longer than the buffer of the device, which cannot receive it |
 * | `downlinks` | behind other downlinks of the device |
 * | `update` | for the end of a firmware update, because a configuration would interrupt it |
 */
export type CauseKey = `fault:${number}` | 'interval' | 'power-on' | 'encoder' | 'length' | 'downlinks' | 'update';

export type CauseSet = ReadonlySet<CauseKey>;

export const NO_CAUSE: CauseSet = new Set();

export function collectFaults(faults: readonly number[], ...others: readonly CauseKey[]): CauseSet {
  return new Set<CauseKey>([...others, ...faults.map((index): CauseKey => `fault:${index}`)]);
}

/** The text for a set of causes; equal sets have the same text. */
export function setKey(causes: CauseSet): string {
  return [...causes].sort().join(' ');
}

export function hasFault(causes: CauseSet): boolean {
  return [...causes].some((cause) => cause.startsWith('fault:'));
}

export const CONTACTS: Readonly<Record<ContactReason, string>> = {
  boot: 'start of the device',
  report: 'report',
  event: 'event report',
  poll: 'poll',
  shell: 'exchange by a shell command',
  button: 'exchange by a button',
  answer: 'answer',
};

/** Contacts that come before those of the timers. */
export const UNPLANNED: ReadonlySet<ContactReason> = new Set(['event', 'shell', 'button']);

export class CauseNames {
  readonly #faults: Situation['faults'];
  readonly #part: FleetPart | undefined;
  readonly #ended: ContactReason | undefined;

  /** @param ended the contact that ended the rest of the device. Default: the next one of its timers */
  constructor({ faults }: Situation, part: FleetPart | undefined, ended?: ContactReason) {
    this.#faults = faults;
    this.#part = part;
    this.#ended = ended;
  }

  nameFault(index: number): string {
    const { what, whom } = this.#faults[index] ?? { what: 'a fault', whom: '' };
    return whom === '' ? what : `${what} (${whom})`;
  }

  nameCause(cause: CauseKey): ExplainedCause {
    switch (cause) {
      case 'interval':
        return { kind: cause, name: this.#nameRest() };
      case 'power-on':
        return { kind: cause, name: 'not switched on yet' };
      case 'encoder':
        return { kind: cause, name: 'no encoder' };
      case 'length':
        return { kind: cause, name: 'longer than the buffer' };
      case 'downlinks':
        return { kind: cause, name: 'other downlinks first' };
      case 'update':
        return { kind: cause, name: 'firmware update first' };
      default: {
        const index = Number(cause.slice('fault:'.length));
        return { kind: this.#faults[index]?.isStep ? 'step' : 'fault', name: this.nameFault(index) };
      }
    }
  }

  #nameRest(): string {
    const ended = this.#ended;
    return ended !== undefined && UNPLANNED.has(ended) ? `next ${CONTACTS[ended]}` : nameInterval(this.#part);
  }

  /** `without outage`, `with interval-poll 60` */
  describeChange(cause: CauseKey): string {
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
        return `without ${this.nameCause(cause).name}`;
    }
  }
}

/** `next report (every 30m, no polls)` */
export function nameInterval(part: FleetPart | undefined): string {
  if (part === undefined) return 'next report or poll';
  const reports = formatInterval(part.reportEvery);
  const polls = formatInterval(part.pollEvery);
  if (reports === undefined && polls === undefined) return 'next contact (no regular reports, no polls)';
  if (polls === undefined) return `next report (every ${reports}, no polls)`;
  if (reports === undefined) return `next poll (every ${polls}, no regular reports)`;
  return `next report or poll (every ${reports}, every ${polls})`;
}

/** undefined if reports or polls are off, or if the device type has none. */
function formatInterval(every: Millis | null): string | undefined {
  return every === null || every === 0 ? undefined : formatDuration(every);
}
