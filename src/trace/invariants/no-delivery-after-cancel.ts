/**
 * After a downlink was cancelled or has expired, the cloud neither offers it nor marks it as delivered.
 *
 * This checks the cloud, not the device: a datagram that was in flight at the cancellation may still reach the device. The last
 * {@link REMEMBERED} cancelled or expired downlinks of a device are checked.
 */
import type { TraceEvent } from '../events.js';
import { type Invariant, remember } from './invariant.js';

const REMEMBERED = 256;

type End = Extract<TraceEvent, { readonly kind: 'downlink.cancelled' | 'downlink.expired' }>;
type LateEvent = Extract<TraceEvent, { readonly kind: 'downlink.offered' | 'downlink.delivered' }>;

export const noDeliveryAfterCancel: Invariant = {
  about: 'a cancelled or expired downlink is neither offered nor delivered afterwards',
  watch(broken) {
    const ended = new Map<number, End[]>();
    const end = (event: End): void => remember(ended, event.serial, event, REMEMBERED);
    const look = (event: LateEvent): void => {
      const { at, serial, downlink } = event;
      const before = ended.get(serial)?.find((other) => other.downlink === downlink);
      if (before === undefined) return;
      const [how, then] = [getWord(before), getWord(event)];
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

function getWord({ kind }: End | LateEvent): string {
  return kind.slice('downlink.'.length);
}
