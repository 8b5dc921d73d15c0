/**
 * The cloud stores each data uplink once. Copies that it recognises and does not store again are allowed.
 *
 * Only data uplinks count. A device sends other messages again after a reset of its transfer, and their content does not show
 * that they are copies (docs/FIDELITY.md, "Copies after a reset").
 *
 * If the network delays datagrams, the order of the events does not always show whether a message belongs to a stored uplink or
 * to an earlier one that has arrived late. The embedded cloud then compares the contents. For another cloud, the violation
 * names both uplinks.
 *
 * Over FLAP, a late fragment may become part of a later message, which then has the content of no uplink (docs/FIDELITY.md,
 * "Late datagrams"). Such messages are counted separately.
 */
import type { Invariant } from './invariant.js';
import { UplinkBook } from './uplink-book.js';

export const uplinksStoredOnce: Invariant = {
  about: 'the cloud stores each data uplink once; recognised copies do not count',
  watch: (broken, acks) =>
    new UplinkBook(
      {
        stored(event, sending, newest, missing) {
          if (event.copy || (sending !== undefined && event.again === undefined)) return;
          const { at, serial } = event;
          const before = sending ?? newest;
          if (before === undefined) {
            broken.add({ at, serial, what: 'a data uplink was stored that the device never sent', events: [event] });
            return;
          }
          const { sent, stored } = before;
          const events = stored === undefined ? [sent, event] : [sent, stored, event];
          // The contents were compared, and this one is new: the message belongs to no uplink.
          if (acks !== 'unseen' && event.again === undefined) {
            const violation = { at, serial, what: 'more data messages were stored than the device has sent', events };
            if (acks === 'seen') broken.addByProtocol(violation);
            else broken.add(violation);
            return;
          }
          const late = event.again === undefined && missing !== undefined;
          const other = late ? ` (or uplink ${missing.sent.uplink} was stored late)` : '';
          broken.add({ at, serial, what: `uplink ${sent.uplink} was stored again${other}`, events });
        },
      },
      ['data'],
      acks,
    ),
};
