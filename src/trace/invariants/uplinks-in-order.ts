/**
 * The cloud stores the messages of a device in the order in which the device sent them. The order of sending can differ from
 * the order of creation: a spool sends the newest report first, and an uplink that is sent again counts with the new time.
 */
import type { Invariant } from './invariant.js';
import { type Sending, UplinkBook } from './uplink-book.js';

export const uplinksInOrder: Invariant = {
  about: 'the cloud stores the messages of a device in the order in which the device sent them',
  watch(broken, acks) {
    /** By device: the stored uplink that was sent last, and its position in the order of sending when it was stored. */
    const latest = new Map<number, { readonly before: Sending; readonly order: number }>();
    return new UplinkBook(
      {
        stored(event, sending) {
          if (event.copy || event.again !== undefined || sending === undefined) return;
          const { at, serial } = event;
          const { before, order } = latest.get(serial) ?? {};
          if (before === undefined || order === undefined || order < sending.order) {
            latest.set(serial, { before: sending, order: sending.order });
            return;
          }
          // When the stored message could be either of two uplinks, their order is unknown.
          if (before.unsure && before.sent.type === sending.sent.type) return;
          const what = `uplink ${sending.sent.uplink} was stored after uplink ${before.sent.uplink}, which was sent later`;
          const events = [sending.sent, before.sent, ...(before.stored ? [before.stored] : []), event];
          broken.add({ at, serial, what, events });
        },
      },
      undefined,
      acks,
    );
  },
};
