/**
 * Each data uplink is stored once. Copies that the cloud recognises and does not store again are fine.
 *
 * Counts data alone: other messages have no content by which a copy could be told, and a device that is told to start over
 * sends them again (docs/FIDELITY.md, "Copies after a reset").
 */
import type { Invariant } from './invariant.js';
import { UplinkBook } from './uplink-book.js';

export const uplinksStoredOnce: Invariant = {
  about: 'the cloud stores each data uplink once; copies that it recognises do not count',
  watch: (broken) =>
    new UplinkBook(
      {
        stored(event, sending, before) {
          if (event.copy || sending !== undefined) return;
          const { at, serial } = event;
          if (before === undefined) {
            broken.add({ at, serial, what: 'a data uplink was stored that was never sent', events: [event] });
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
