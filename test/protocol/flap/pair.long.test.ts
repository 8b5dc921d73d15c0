/** The figures of the protocol on networks of all kinds; pair.test.ts has what never happens. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/kernel/time.js';
import type { Badness } from '../../support/flap-channel.js';
import type { Picture } from '../../support/flap-picture.js';
import { expectNothingLost, expectNothingLostIn, loss, runSeed, seed } from './pair-runs.js';

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

it('no acknowledged uplink is lost or corrupted on 300 networks that lose, duplicate, delay and reorder packets', async () => {
  await expectNothingLostIn(300);
});
