/**
 * At the end of the run, every downlink that users queued was delivered, answered or cancelled, or has expired.
 *
 * A downlink can count as delivered although the device never received it. The invariant `downlinks-answered` detects this for
 * shell and config downlinks: they get no answer.
 */

import { isTracked } from '../downlinks/ledger.js';
import type { TraceEvent } from '../events.js';
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
          if (isTracked(event.type)) open.set(event.downlink, event);
        },
        'downlink.delivered': settle,
        'downlink.answered': settle,
        'downlink.cancelled': settle,
        'downlink.expired': settle,
      },
      end() {
        for (const event of open.values()) {
          const { at, serial, type, downlink } = event;
          const what = `the ${type} downlink ${downlink}, queued at that time, was still pending at the end`;
          broken.add({ at, serial, what, events: [event] });
        }
      },
    };
  },
};
