/** The effects of a weak signal, and the values of an evaluation of the connection (behaviour B-36). */
import { describe, expect, it } from 'vitest';
import { Modem } from '../../../src/device/modem/modem.js';
import { attachFactor, evaluate, hasService, lossRatio } from '../../../src/device/modem/signal.js';
import { NoiseStream } from '../../../src/kernel/random.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { sending, testBoard } from '../../support/device.js';

function testModem() {
  const clock = new VirtualClock();
  const faded: string[] = [];
  const modem = new Modem(testBoard(clock, { faded: (way) => faded.push(way) }), new NoiseStream(3), 5);
  return { clock, modem, faded };
}

describe('the effects of a signal', () => {
  it.each([
    [-60, 1, 0],
    [-115, 1, 0],
    [-117.5, 1.5, 0.025],
    [-120, 2, 0.05],
    [-125, 4, 0.2],
    [-130, 10, 0.5],
    [-140, 10, 0.5],
  ])('%d dBm: attaching takes %d times as long, and this share of the datagrams is lost: %d', (rsrp, attach, loss) => {
    expect(attachFactor({ rsrp })).toBeCloseTo(attach);
    expect(lossRatio({ rsrp })).toBeCloseTo(loss);
  });

  it('below -130 dBm the device has no service', () => {
    expect([hasService({ rsrp: -130 }), hasService({ rsrp: -131 })]).toEqual([true, false]);
  });
});

describe('an evaluation', () => {
  it.each([
    [-80, 8, 0],
    [-104, 7, 0],
    [-117, 6, 1],
    [-128, 5, 2],
  ])('of %d dBm has eest %d and ecl %d', (rsrp, eest, ecl) => {
    const found = evaluate(5, 1, { rsrp });
    expect(found).toMatchObject({ eest, ecl });
    expect(Math.abs(found.rsrp - rsrp)).toBeLessThanOrEqual(4);
  });

  it('shows the signal that was set', () => {
    const found = evaluate(5, 1, { rsrp: -90, rsrq: -7, snr: 12 });
    expect(found.rsrq).toBeGreaterThanOrEqual(-7);
    expect(found.rsrq).toBeLessThanOrEqual(-5);
    expect(found.snr).toBeGreaterThanOrEqual(12);
    expect(found.snr).toBeLessThanOrEqual(15);
  });

  it('without an override stays at -115 dBm or above, where a signal has no bad effects', () => {
    for (let cell = 0; cell < 500; cell++) expect(evaluate(cell, 1, undefined).rsrp).toBeGreaterThanOrEqual(-115);
  });
});

describe('a modem with a weak signal', () => {
  it('takes more than a minute to attach', async () => {
    const { clock, modem } = testModem();
    modem.setSignal({ rsrp: -129 });
    modem.start();
    await clock.runUntil(minutes(1));
    expect(modem.registered).toBe(false);
    await clock.runUntil(hours(1));
    expect(modem.counters.lastDuration).toBeGreaterThan(seconds(60));
  });

  it('loses datagrams in both directions', async () => {
    const { clock, modem, faded } = testModem();
    modem.start();
    await clock.runUntil(minutes(1));
    modem.setSignal({ rsrp: -125 });
    const arrived = Array.from({ length: 1000 }, (_, i) => modem.carries(i % 2 === 0 ? 'up' : 'down')).filter(Boolean);
    expect(arrived.length).toBeGreaterThan(740);
    expect(arrived.length).toBeLessThan(860);
    expect(faded.length).toBe(1000 - arrived.length);
    expect(new Set(faded)).toEqual(new Set(['up', 'down']));
  });

  it('requests a connection again if there was none within 30 s, without a new attach', async () => {
    const { clock, modem } = testModem();
    modem.start();
    await clock.runUntil(minutes(1));
    modem.setSignal({ rsrp: -130 });
    const waits: number[] = [];
    for (let i = 0; i < 50; i++) {
      const begun = clock.now;
      modem.send(
        sending(() => waits.push(clock.now - begun)),
        Number.POSITIVE_INFINITY,
      );
      await clock.runUntil(clock.now + minutes(10));
    }
    const late = waits.filter((wait) => wait >= seconds(30));
    expect(late.length).toBeGreaterThan(15);
    expect(late.every((wait) => wait % 30_000 <= seconds(4))).toBe(true);
    expect(modem.counters.attaches).toBe(1);
  });

  it('has no network below the limit, and finds it at the end of the override', async () => {
    const { clock, modem } = testModem();
    modem.setSignal({ rsrp: -135 });
    modem.start();
    await clock.runUntil(minutes(4));
    expect(modem.registered).toBe(false);
    modem.setSignal(undefined);
    await clock.runUntil(minutes(5));
    expect(modem.registered).toBe(true);
  });
});
