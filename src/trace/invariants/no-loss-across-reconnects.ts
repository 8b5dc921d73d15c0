/**
 * The cloud has stored every message that it acknowledged, whatever resets, restarts of a transfer, reboots and outages occur.
 * Messages of all types count. A message that was recognised as a copy of a stored one counts as stored.
 */
import type { Invariant } from './invariant.js';
import { UplinkBook } from './uplink-book.js';

export const noLossAcrossReconnects: Invariant = {
  about: 'the cloud stores every message that it acknowledges, also through resets, reboots and outages',
  watch: (broken) =>
    new UplinkBook({
      lost({ sent }, acked) {
        const { at, serial, uplink } = acked;
        broken.add({ at, serial, what: `uplink ${uplink} was acknowledged and never stored`, events: [sent, acked] });
      },
    }),
};
