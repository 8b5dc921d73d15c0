/**
 * Every shell and configuration downlink that was delivered has its answer at the end, unless the device could not carry it out.
 *
 * The protocol itself can break this: a downlink of one fragment counts as delivered when it goes out, and the device may never
 * get it (docs/FIDELITY.md, "Delivered is not received"). One that was delivered shortly before the end may lack the time.
 */
import type { TraceEvent } from '../events.js';
import { isAnsweredType } from './downlink-types.js';
import type { Invariant } from './invariant.js';

interface Open {
  readonly serial: number;
  print: string;
  delivered: Extract<TraceEvent, { readonly kind: 'downlink.delivered' }> | undefined;
}

export const downlinksAnswered: Invariant = {
  about: 'at the end every shell or config downlink that was delivered is answered, or was refused by the device',
  watch(broken) {
    const open = new Map<string, Open>();
    const close = ({ downlink }: { readonly downlink: string }): void => {
      open.delete(downlink);
    };
    return {
      on: {
        'downlink.queued': ({ downlink, serial, type }) => {
          if (isAnsweredType(type)) open.set(downlink, { serial, print: '', delivered: undefined });
        },
        'downlink.offered': ({ downlink, print }) => {
          const entry = open.get(downlink);
          if (entry !== undefined) entry.print = print;
        },
        'downlink.delivered': (event) => {
          const entry = open.get(event.downlink);
          if (entry !== undefined) entry.delivered = event;
        },
        'downlink.executed': ({ serial, print, ok }) => {
          if (ok) return;
          const refused = [...open].find(([, entry]) => entry.serial === serial && entry.print === print);
          if (refused !== undefined) open.delete(refused[0]);
        },
        'downlink.answered': close,
        'downlink.cancelled': close,
        'downlink.expired': close,
      },
      end() {
        for (const [downlink, { serial, delivered }] of open) {
          if (delivered === undefined) continue;
          const what = `downlink ${downlink} was delivered and never answered`;
          broken.add({ at: delivered.at, serial, what, events: [delivered] });
        }
      },
    };
  },
};
