/**
 * The cloud stores each data uplink once. Copies that it recognises and does not store again are allowed.
 *
 * Only data uplinks count. A device sends other messages again after a reset of its transfer, and their content does
 * not show that they are copies (docs/FIDELITY.md, "Copies after a reset").
 */
import type { Invariant } from './invariant.js';
import { UplinkBook } from './uplink-book.js';

export const uplinksStoredOnce: Invariant = {
  about: 'the cloud stores each data uplink once; recognised copies do not count',
  watch: (broken) =>
    new UplinkBook(
      {
        stored(event, sending, before) {
          if (event.copy || sending !== undefined) return;
          const { at, serial } = event;
          if (before === undefined) {
            broken.add({ at, serial, what: 'a data uplink was stored that the device never sent', events: [event] });
            return;
          }
          const { sent, stored } = before;
          const events = stored === undefined ? [sent, event] : [sent, stored, event];
          broken.add({ at, serial, what: `uplink ${sent.uplink} was stored again`, events });
        },
      },
      ['data'],
    ),
};
