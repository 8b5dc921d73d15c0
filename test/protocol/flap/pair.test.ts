/** The state machines of both ends, connected by bad networks (wire W-22, W-27), in simulated time. */
import { describe, expect, it } from 'vitest';
import { minutes } from '../../../src/kernel/time.js';
import type { Channel, Exchange } from '../../support/flap-channel.js';
import { runFlapPair } from '../../support/flap-pair.js';
import { message } from './notation.js';
import { expectNothingLostIn } from './pair-runs.js';

describe('over a network that loses, duplicates, delays and reorders packets', () => {
  it('no acknowledged uplink is lost or corrupted, except by a stray packet', async () => {
    await expectNothingLostIn(100);
  });
});

/** A network with a delay of 100 ms. For a packet for which `exception` returns delays, these apply instead. */
function network(exception: (...packet: Parameters<Channel>) => readonly number[] | undefined): Channel {
  return (way, packet) => exception(way, packet) ?? [100];
}

/** Loses only the first `count` packets that `which` selects. */
function losing(count: number, which: (...packet: Parameters<Channel>) => boolean): Channel {
  let left = count;
  return network((way, packet) => (which(way, packet) && left-- > 0 ? [] : undefined));
}

const exchange = (pause: number, uplink: Uint8Array, ...downlinks: Uint8Array[]): Exchange => ({
  pause,
  uplink,
  downlinks,
});

describe('a device without an answer', () => {
  it('repeats the same bytes after 10 s: a lost packet costs one period', async () => {
    const picture = await runFlapPair(
      [exchange(0, message(5))],
      losing(1, (way) => way === 'up'),
    );
    expect(picture.uplinks).toMatchObject({ acknowledged: 1, stored: 1 });
    expect(Math.round(picture.uplinks.took / 1000)).toBe(10);
  });

  it('repeats an uplink without limit', async () => {
    const picture = await runFlapPair(
      [exchange(0, message(5))],
      losing(1000, (way) => way === 'up'),
    );
    expect(picture.uplinks).toMatchObject({ acknowledged: 1, stored: 1 });
    expect(Math.round(picture.uplinks.took / 10_000)).toBe(1005);
  });

  it('repeats a poll for 60 s, and begins again with sequence 0 after 5 min', async () => {
    const polls: number[] = [];
    const channel = network((way, { flags, sequence }) => {
      if (way === 'down' || flags !== 1) return undefined;
      polls.push(sequence);
      return polls.length <= 6 ? [] : undefined;
    });
    const picture = await runFlapPair([exchange(0, message(5), message(9))], channel);
    expect(polls.slice(0, 7)).toEqual([2, 2, 2, 2, 2, 2, 0]);
    expect(picture.downlinks).toEqual({ delivered: 1, received: 1, corrupted: 0 });
  });
});

describe('what the protocol does not exclude', () => {
  it('a downlink counts as delivered although the device never received it', async () => {
    // Every fragment is lost, the device gives up its poll and begins again with sequence 0.
    const channel = losing(100, (way, { data }) => way === 'down' && data.length > 0);
    const picture = await runFlapPair([exchange(0, message(5), message(9))], channel);
    expect(picture.downlinks).toEqual({ delivered: 1, received: 0, corrupted: 0 });
    expect(picture.quirks.deliveredNotReceived).toBe(1);
  });

  it('a downlink that was sent only in part is offered again and received', async () => {
    const channel = losing(3, (way, { data }) => way === 'down' && data.length > 0);
    const picture = await runFlapPair([exchange(0, message(5), message(900))], channel);
    expect(picture.downlinks).toEqual({ delivered: 1, received: 1, corrupted: 0 });
    expect(picture.quirks.deliveredNotReceived).toBe(0);
  });

  it('a lost answer costs 20 s, because the cloud does not answer the first repetition', async () => {
    const picture = await runFlapPair(
      [exchange(0, message(5))],
      losing(1, (way) => way === 'down'),
    );
    expect(picture.quirks.unansweredRepetitions).toBe(1);
    expect(Math.round(picture.uplinks.took / 1000)).toBe(20);
    expect(picture.uplinks).toMatchObject({ acknowledged: 1, stored: 1 });
  });

  it('after 60 s of repetition the cloud resets the transfer, and the message arrives twice', async () => {
    // The answers at 0, 20 and 40 s are lost; the repetition at 60 s brings the reset.
    const picture = await runFlapPair(
      [exchange(0, message(5))],
      losing(3, (way) => way === 'down'),
    );
    expect(picture.quirks.storedAgainAfterPatience).toBe(1);
    expect(picture.restarts).toBe(1);
    expect(picture.uplinks).toMatchObject({ acknowledged: 1, stored: 1, lost: 0 });
  });

  it('a stray acknowledgement can be taken for that of a message that never arrived', async () => {
    // A second copy of the first acknowledgement (number 1) comes 3 min late, when the device has given up a poll and is
    // at 0 again. The next message has number 0, is lost, and the device finds number 1 in its socket.
    let polls = 0;
    let acknowledgements = 0;
    const channel = network((way, { flags, data }) => {
      if (way === 'down') return acknowledgements++ === 0 ? [100, minutes(3)] : undefined;
      if (flags === 1) return polls++ < 6 ? [] : undefined;
      return data.length === 6 ? [] : undefined;
    });
    const exchanges = [exchange(0, message(5), message(9)), exchange(minutes(4), message(6))];
    const picture = await runFlapPair(exchanges, channel);
    expect(picture.uplinks).toMatchObject({ acknowledged: 2, stored: 1, lost: 0 });
    expect(picture.quirks).toMatchObject({ strayAnswersTaken: 1, lostToStrays: 1 });
  });
});
