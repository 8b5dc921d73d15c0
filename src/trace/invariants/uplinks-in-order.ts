/**
 * The cloud stores the messages of a device in the order in which the device sent them. The order of sending can differ from
 * the order of creation: a spool sends the newest report first, and an uplink that is sent again counts with the new time.
 */
import type { Invariant } from './invariant.js';
import { type Sending, UplinkBook } from './uplink-book.js';

export const uplinksInOrder: Invariant = {
  about: 'the cloud stores the messages of a device in the order in which the device sent them',
  watch(broken) {
    /** The stored uplink that was sent last, by device. */
    const latest = new Map<number, Sending>();
    return new UplinkBook({
      stored(event, sending) {
        if (event.copy || sending === undefined) return;
        const { at, serial } = event;
        const before = latest.get(serial);
        if (before === undefined || before.order < sending.order) {
          latest.set(serial, sending);
          return;
        }
        // When the stored message could be either of two uplinks, their order is unknown.
        if (before.unsure && before.sent.type === sending.sent.type) return;
        const what = `uplink ${sending.sent.uplink} was stored after uplink ${before.sent.uplink}, which was sent later`;
        const events = [sending.sent, before.sent, ...(before.stored ? [before.stored] : []), event];
        broken.add({ at, serial, what, events });
      },
    });
  },
};
