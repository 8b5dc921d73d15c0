/**
 * A device executes a downlink at most as often as users queued its content.
 *
 * The protocol itself can violate this rule. If the last acknowledgement of a transfer is lost, both sides start the transfer
 * again. And a late copy of a datagram may match the numbers of a new transfer (docs/FIDELITY.md, "Late datagrams"). Downlinks
 * are compared by the fingerprint of their content, over the last {@link REMEMBERED} downlinks that were offered to a device.
 */

import { isTracked } from '../downlinks/ledger.js';
import type { TraceEvent } from '../events.js';
import { type Invariant, remember } from './invariant.js';

const REMEMBERED = 256;

type Offered = Extract<TraceEvent, { readonly kind: 'downlink.offered' }>;

interface Offer {
  readonly event: Offered;
  executed: Extract<TraceEvent, { readonly kind: 'downlink.executed' }> | undefined;
}

export const downlinksExecutedOnce: Invariant = {
  about: 'a device executes each downlink of a user at most as often as it was queued',
  watch(broken) {
    const offers = new Map<number, Offer[]>();
    return {
      on: {
        'downlink.offered': (event) => {
          const known = offers.get(event.serial)?.some((offer) => offer.event.downlink === event.downlink);
          if (!known) remember(offers, event.serial, { event, executed: undefined }, REMEMBERED);
        },
        'downlink.executed': (event) => {
          const { at, serial, type, print } = event;
          if (!isTracked(type)) return;
          const alike = offers.get(serial)?.filter((offer) => offer.event.print === print) ?? [];
          const next = alike.find(({ executed }) => executed === undefined);
          const last = alike.at(-1);
          if (next !== undefined) next.executed = event;
          else if (last !== undefined) {
            const what = `downlink ${last.event.downlink} was executed again`;
            const before = last.executed === undefined ? [] : [last.executed];
            broken.add({ at, serial, what, events: [last.event, ...before, event] });
          }
        },
      },
    };
  },
};
