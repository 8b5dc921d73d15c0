/**
 * The cloud stores the messages of a device in the order in which they went out. That is not the order in which they were
 * made: a spool sends the newest first, and a body that was given up and goes out again counts from then on.
 */
import type { Invariant } from './invariant.js';
import { type Sending, UplinkBook } from './uplink-book.js';

export const uplinksInOrder: Invariant = {
  about: 'the cloud stores the messages of a device in the order in which they went out',
  watch(broken) {
    /** By device: of what is stored, the one that went out last. */
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
        // Where either of two could have been the first one, nobody can say that they changed places.
        if (before.unsure && before.sent.type === sending.sent.type) return;
        const what = `uplink ${sending.sent.uplink} was stored behind uplink ${before.sent.uplink}, which went out later`;
        const events = [sending.sent, before.sent, ...(before.stored ? [before.stored] : []), event];
        broken.add({ at, serial, what, events });
      },
    });
  },
};
