/**
 * What the cloud has acknowledged, it has stored: through resets, restarts of a transfer, reboots and outages. Counts messages
 * of every type. One that was taken for a copy of a stored one counts as stored.
 */
import type { Invariant } from './invariant.js';
import { UplinkBook } from './uplink-book.js';

export const noLossAcrossReconnects: Invariant = {
  about: 'every message that the cloud acknowledged is stored, through resets, reboots and outages',
  watch: (broken) =>
    new UplinkBook({
      lost({ sent }, acked) {
        const { at, serial, uplink } = acked;
        broken.add({ at, serial, what: `uplink ${uplink} was acknowledged and never stored`, events: [sent, acked] });
      },
    }),
};
