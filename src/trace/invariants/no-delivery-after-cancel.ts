/**
 * A downlink that was cancelled or has expired is not offered any more, and never becomes delivered.
 *
 * Counts what the cloud does. A datagram that was under way at the moment of the cancellation may still reach the device, and no
 * protocol without a third message could exclude that. The ends of the last {@link REMEMBERED} downlinks of a device are known.
 */
import type { TraceEvent } from '../events.js';
import { type Invariant, remember } from './invariant.js';

const REMEMBERED = 256;

type End = Extract<TraceEvent, { readonly kind: 'downlink.cancelled' | 'downlink.expired' }>;
type Sign = Extract<TraceEvent, { readonly kind: 'downlink.offered' | 'downlink.delivered' }>;

export const noDeliveryAfterCancel: Invariant = {
  about: 'a downlink that was cancelled or has expired is neither offered nor delivered any more',
  watch(broken) {
    const ended = new Map<number, End[]>();
    const end = (event: End): void => remember(ended, event.serial, event, REMEMBERED);
    const look = (event: Sign): void => {
      const { at, serial, downlink } = event;
      const before = ended.get(serial)?.find((other) => other.downlink === downlink);
      if (before === undefined) return;
      const [how, then] = [wordOf(before), wordOf(event)];
      broken.add({ at, serial, what: `downlink ${downlink} was ${how} and then ${then}`, events: [before, event] });
    };
    return {
      on: {
        'downlink.cancelled': end,
        'downlink.expired': end,
        'downlink.offered': look,
        'downlink.delivered': look,
      },
    };
  },
};

function wordOf({ kind }: End | Sign): string {
  return kind.slice('downlink.'.length);
}
