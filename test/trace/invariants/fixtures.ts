/** Traces of well-behaved devices, and invariants over them. */
import fc from 'fast-check';
import type { TraceEvent, UplinkType } from '../../../src/trace/events.js';
import { Invariants, type InvariantVerdict } from '../../../src/trace/invariants/index.js';
import type { SeenAcks } from '../../../src/trace/invariants/invariant.js';

export function verdictOf(name: string, events: readonly TraceEvent[], acks?: SeenAcks): InvariantVerdict {
  const invariants = new Invariants([name], acks);
  for (const event of events) invariants.take(event);
  invariants.end();
  const verdict = invariants.getVerdict(name);
  if (verdict === undefined) throw new Error(`"${name}" was not watched`);
  return verdict;
}

export interface Uplink {
  readonly serial?: number;
  readonly uplink?: number;
  readonly type?: UplinkType;
  /** Time at which it is sent. It is stored 10 ms and acknowledged 20 ms after this time. */
  readonly at?: number;
}

/** An uplink that is sent, stored and acknowledged. */
export function uplinkLife({ serial = 1, uplink = 1, type = 'data', at = 0 }: Uplink = {}): readonly TraceEvent[] {
  const message = `m${serial}-${uplink}`;
  return [
    { kind: 'uplink.made', at, serial, uplink, type, bytes: 10 },
    { kind: 'uplink.sent', at, serial, uplink, type },
    { kind: 'cloud.stored', at: at + 10, serial, type, message, copy: false },
    { kind: 'uplink.acked', at: at + 20, serial, uplink, type },
  ];
}

const TYPES: readonly UplinkType[] = ['session', 'data', 'config', 'shell'];

/** Outcomes of an uplink that are not violations. */
const OUTCOMES = ['fine', 'copied', 'dropped', 'dropped and stored', 'put back', 'waiting'] as const;

/** The trace of a device whose uplinks have random outcomes of {@link OUTCOMES}, so that it violates no invariant. */
function cleanDevice(serial: number): fc.Arbitrary<readonly TraceEvent[]> {
  const one = fc.record({ type: fc.constantFrom(...TYPES), outcome: fc.constantFrom(...OUTCOMES) });
  return fc.array(one, { minLength: 1, maxLength: 40 }).map((uplinks) =>
    uplinks.flatMap(({ type, outcome }, i): TraceEvent[] => {
      const [at, uplink] = [i * 100, i + 1];
      const life = uplinkLife({ serial, uplink, type, at });
      const [made, sent, stored, acked] = life as [TraceEvent, TraceEvent, TraceEvent, TraceEvent];
      const dropped: TraceEvent = { kind: 'uplink.dropped', at: at + 15, serial, uplink, type, why: 'reboot' };
      switch (outcome) {
        case 'fine':
          return [...life];
        case 'copied': {
          const message = `m${serial}-${uplink}`;
          const copy: TraceEvent = { kind: 'cloud.stored', at: at + 15, serial, type, message, copy: true };
          return [made, sent, stored, copy, acked];
        }
        case 'dropped':
          return [made, sent, dropped];
        case 'dropped and stored':
          return [made, sent, dropped, { ...stored, at: at + 16 } as TraceEvent];
        case 'put back':
          return [made, sent, { ...sent, at: at + 5 } as TraceEvent, stored, acked];
        case 'waiting':
          return i === uplinks.length - 1 ? [made, sent] : [made];
        default:
          return outcome satisfies never;
      }
    }),
  );
}

/** Devices whose events are merged by time. */
export const cleanTrace: fc.Arbitrary<readonly TraceEvent[]> = fc
  .tuple(cleanDevice(1), cleanDevice(2), cleanDevice(3))
  .map((devices) => devices.flat().sort((a, b) => a.at - b.at));
