/** The state machines of both ends, connected by bad networks (wire W-22, W-27), in simulated time. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../src/kernel/random.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { type Badness, badChannel, type Channel, type Exchange, randomExchanges } from '../../support/flap-channel.js';
import { runFlapPair } from '../../support/flap-pair.js';
import type { Picture } from '../../support/flap-picture.js';
import { message } from './notation.js';

/** A run whose exchanges and network come from one seed. */
function runSeed(seed: number, count: number, badness: Badness): Promise<Picture> {
  const random = seededRandom(seed);
  return runFlapPair(randomExchanges(random.fork('exchanges'), count), badChannel(random.fork('channel'), badness));
}

/** Expectations for every run. */
function expectNothingLost({ uplinks, downlinks }: Picture, count: number): void {
  expect(uplinks.acknowledged + uplinks.aborted).toBe(count);
  expect(uplinks.lost).toBe(0);
  expect(uplinks.corrupted).toBe(0);
  expect(downlinks.corrupted).toBe(0);
}

const seed = fc.nat();
const loss = fc.double({ min: 0, max: 0.3, noNaN: true });

describe('over a network that only loses packets', () => {
  it('every uplink is acknowledged and stored once, without stray packets', async () => {
    const arbitrary = fc.asyncProperty(seed, loss, async (seed, loss) => {
      const picture = await runSeed(seed, 20, { loss, duplication: 0, delay: 500 });
      expectNothingLost(picture, 20);
      expect(picture.uplinks).toMatchObject({ acknowledged: 20, stored: 20, aborted: 0 });
      expect(picture.quirks).toMatchObject({ strayAnswersTaken: 0, strayRequestsTaken: 0, storedAgainOtherwise: 0 });
      const { delivered, received } = picture.downlinks;
      expect(delivered).toBe(received + picture.quirks.deliveredNotReceived);
    });
    await fc.assert(arbitrary, { numRuns: 200 });
  });
});

describe('over a network that loses, duplicates, delays and reorders packets', () => {
  it('no acknowledged uplink is lost or corrupted, except by a stray packet', async () => {
    const badness = fc.record({
      loss,
      duplication: fc.double({ min: 0, max: 0.1, noNaN: true }),
      delay: fc.integer({ min: 1, max: seconds(7) }),
    });
    const arbitrary = fc.asyncProperty(seed, badness, async (seed, badness) => {
      expectNothingLost(await runSeed(seed, 20, badness), 20);
    });
    await fc.assert(arbitrary, { numRuns: 300 });
  });
});

describe('the figures of wire W-34 and W-40', () => {
  /** Runs of 60 messages, added up. */
  async function measure(runs: number, badness: Badness) {
    const pictures: Picture[] = [];
    for (let seed = 0; seed < runs; seed++) pictures.push(await runSeed(seed, 60, badness));
    const total = (of: (picture: Picture) => number) => pictures.reduce((sum, picture) => sum + of(picture), 0);
    return {
      acknowledged: total(({ uplinks }) => uplinks.acknowledged),
      aborted: total(({ uplinks }) => uplinks.aborted),
      lost: total(({ uplinks, quirks }) => uplinks.lost + quirks.lostToStrays),
      storedAgain: total(({ quirks }) => quirks.storedAgainAfterPatience + quirks.storedAgainOtherwise),
      delivered: total(({ downlinks }) => downlinks.delivered),
      deliveredNotReceived: total(({ quirks }) => quirks.deliveredNotReceived),
      unanswered: total(({ quirks }) => quirks.unansweredRepetitions),
      restarts: total(({ restarts }) => restarts),
      meanSeconds: total(({ uplinks }) => uplinks.took) / total(({ uplinks }) => uplinks.acknowledged) / 1000,
    };
  }

  it('without loss: nothing is stored twice, no restarts, no aborts, about 1.8 s per uplink', async () => {
    const { meanSeconds, delivered, ...others } = await measure(20, { loss: 0, duplication: 0, delay: 500 });
    expect(others).toEqual({
      acknowledged: 1200,
      aborted: 0,
      lost: 0,
      storedAgain: 0,
      deliveredNotReceived: 0,
      unanswered: 0,
      restarts: 0,
    });
    expect(delivered).toBeGreaterThan(400);
    expect(meanSeconds).toBeGreaterThan(1.2);
    expect(meanSeconds).toBeLessThan(2.4);
  });

  it('loss 10 %: about 13 s per uplink, hardly anything is stored twice', async () => {
    const picture = await measure(20, { loss: 0.1, duplication: 0, delay: 500 });
    expect(picture).toMatchObject({ acknowledged: 1200, aborted: 0, lost: 0 });
    expect(picture.meanSeconds).toBeGreaterThan(10);
    expect(picture.meanSeconds).toBeLessThan(16);
    expect(picture.storedAgain).toBeLessThan(12);
  });

  it('loss 30 %: about 61 s per uplink, 6 % stored twice, 6 % of the downlinks delivered but not received', async () => {
    const picture = await measure(20, { loss: 0.3, duplication: 0, delay: 500 });
    expect(picture).toMatchObject({ acknowledged: 1200, aborted: 0, lost: 0 });
    expect(picture.meanSeconds).toBeGreaterThan(50);
    expect(picture.meanSeconds).toBeLessThan(75);
    expect(picture.storedAgain / 1200).toBeGreaterThan(0.03);
    expect(picture.storedAgain / 1200).toBeLessThan(0.1);
    expect(picture.deliveredNotReceived / picture.delivered).toBeGreaterThan(0.03);
    expect(picture.deliveredNotReceived / picture.delivered).toBeLessThan(0.14);
  });

  it('loss 10 %, 10 % doubled: about 5 % of the uplinks are aborted', async () => {
    const picture = await measure(20, { loss: 0.1, duplication: 0.1, delay: 1000 });
    expect(picture.aborted / 1200).toBeGreaterThan(0.01);
    expect(picture.aborted / 1200).toBeLessThan(0.1);
    expect(picture.restarts).toBeGreaterThan(200);
  });

  it('delays up to 4 s: answers come too late for the first copy, yet nothing gets out of step', async () => {
    const picture = await measure(4, { loss: 0, duplication: 0, delay: seconds(4) });
    expect(picture).toMatchObject({ acknowledged: 240, aborted: 0, lost: 0, storedAgain: 0, restarts: 0 });
    expect(picture.unanswered).toBeGreaterThan(50);
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
