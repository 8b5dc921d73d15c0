/**
 * At the end of the run nothing that a user queued is still waiting: it was delivered, answered, cancelled, or has expired.
 *
 * Whether a downlink was also carried out is a question for `downlinks-answered`: the protocol takes some for delivered that
 * the device never had.
 */
import type { TraceEvent } from '../events.js';
import { isUserType } from './downlink-types.js';
import type { Invariant } from './invariant.js';

type Queued = Extract<TraceEvent, { readonly kind: 'downlink.queued' }>;

export const downlinksSettled: Invariant = {
  about: 'at the end every downlink that users queued is delivered, answered, cancelled or expired',
  watch(broken) {
    const open = new Map<string, Queued>();
    const settle = ({ downlink }: { readonly downlink: string }): void => {
      open.delete(downlink);
    };
    return {
      on: {
        'downlink.queued': (event) => {
          if (isUserType(event.type)) open.set(event.downlink, event);
        },
        'downlink.delivered': settle,
        'downlink.answered': settle,
        'downlink.cancelled': settle,
        'downlink.expired': settle,
      },
      end() {
        for (const event of open.values()) {
          const { at, serial, type, downlink } = event;
          const what = `the ${type} downlink ${downlink}, queued then, was still waiting at the end`;
          broken.add({ at, serial, what, events: [event] });
        }
      },
    };
  },
};
