/**
 * The cloud has stored every message that it acknowledged, whatever resets, restarts of a transfer, reboots and outages occur.
 * Messages of all types count. A message that was recognised as a copy of a stored one counts as stored.
 *
 * A device can also lose a message without a fault of the cloud: over FLAP, a late acknowledgement of an earlier packet may
 * have the sequence number that the device expects for a new packet (docs/FIDELITY.md). Such losses are counted separately if
 * the trace shows which messages the cloud has acknowledged.
 */
import type { Handlers } from '../dispatch.js';
import type { Invariant } from './invariant.js';
import { type BookReader, UplinkBook } from './uplink-book.js';

export const noLossAcrossReconnects: Invariant = {
  about: 'the cloud stores every message that it acknowledges, also through resets, reboots and outages',
  watch: (broken, acks) => {
    /** Losses by device. */
    const lost = new Map<number, number>();
    /** Acknowledgements of messages that the cloud has not stored, by device. */
    const unstored = new Map<number, number>();
    const reader: BookReader = {
      lost({ sent }, acked) {
        const { at, serial, uplink } = acked;
        const losses = (lost.get(serial) ?? 0) + 1;
        lost.set(serial, losses);
        const what = `uplink ${uplink} was acknowledged and never stored`;
        const violation = { at, serial, what, events: [sent, acked] };
        if (acks === 'unseen') broken.add({ ...violation, what: `${what}${EITHER}` });
        else if (acks === 'seen' && losses > (unstored.get(serial) ?? 0)) broken.addByProtocol(violation);
        else broken.add(violation);
      },
    };
    const book = new UplinkBook(reader, undefined, acks);
    const count: Handlers = {
      'cloud.unstored': ({ serial }) => void unstored.set(serial, (unstored.get(serial) ?? 0) + 1),
    };
    return { on: { ...book.on, ...count }, end: () => book.end() };
  },
};

const EITHER = ' (or, over FLAP, a late acknowledgement of an earlier packet had its sequence number)';
