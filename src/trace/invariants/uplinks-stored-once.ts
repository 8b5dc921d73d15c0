/**
 * The cloud stores each data uplink once. Copies that it recognises and does not store again are allowed.
 *
 * Only data uplinks count. A device sends other messages again after a reset of its transfer, and their content does
 * not show that they are copies (docs/FIDELITY.md, "Copies after a reset").
 *
 * If the network delays datagrams, the order of the events does not always show whether a message belongs to a stored uplink or
 * to an earlier one that has arrived late. The embedded cloud then compares the contents. For another cloud, the violation
 * names both uplinks.
 *
 * Over FLAP, a late fragment may become part of a later message, which then has the content of no uplink (docs/FIDELITY.md,
 * "Late datagrams"). Such messages are counted separately.
 */
import type { Invariant, SeenAcks } from './invariant.js';
import { type Sending, type Stored, UplinkBook } from './uplink-book.js';

const MORE = 'more data messages were stored than the device has sent';

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
          const what = whatOf(event, sent.uplink, missing, acks);
          if (what === MORE && acks === 'seen') broken.addByProtocol({ at, serial, what, events });
          else broken.add({ at, serial, what, events });
        },
      },
      ['data'],
      acks,
    ),
};

function whatOf({ again }: Stored, uplink: number, missing: Sending | undefined, acks: SeenAcks): string {
  if (acks !== 'unseen' && again === undefined) return MORE;
  const what = `uplink ${uplink} was stored again`;
  const isUncertain = again === undefined && missing !== undefined;
  return isUncertain ? `${what} (or uplink ${missing.sent.uplink} was stored late)` : what;
}
