/** The modem: attaching, sleeping, waking, and places without network (timing T-45 to T-57). */
import { describe, expect, it } from 'vitest';
import { Attaching } from '../../../src/device/modem/attach-policy.js';
import { Modem } from '../../../src/device/modem/modem.js';
import { NoiseStream } from '../../../src/kernel/random.js';
import { hours, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { sending, testBoard } from '../../support/device.js';

function testModem(policy = 'periodic-2h') {
  const clock = new VirtualClock();
  const modem = new Modem(testBoard(clock, { attachPolicy: () => policy }), new NoiseStream(3), 5);
  return { clock, modem };
}

/** The first attempts of a policy: the timeout in minutes, such as `5`, or timeout and pause, such as `50+60`. */
function firstAttempts(policy: string, count: number): readonly string[] {
  const attempts: string[] = [];
  const attaching = new Attaching(policy);
  while (attempts.length < count) {
    const { timeout, pause } = attaching.current;
    attempts.push(`${timeout / minutes(1)}${pause > 0 ? `+${pause / minutes(1)}` : ''}`);
    attaching.advance();
  }
  return attempts;
}

describe('attach policies', () => {
  it.each([
    ['aggressive', ['5', '5', '50', '5', '5', '50']],
    ['periodic-2h', ['5', '5', '50+60', '5', '5', '50+60']],
    ['periodic-6h', ['5', '5', '50+300', '5', '5', '50+300']],
    ['periodic-12h', ['5', '5', '50+660', '5', '5', '50+660']],
    ['periodic-1d', ['5', '5', '50+1380', '5', '5', '50+1380']],
    [
      'progressive',
      ['5', '5', '50+60', '5+5', '45+360', '5+5', '45+1440', '5+5', '45+10080', '5+5', '45+10080', '5+5'],
    ],
  ])('%s: each attempt has this timeout, or timeout+pause, in minutes: %j', (policy, expected) => {
    expect(firstAttempts(policy, expected.length)).toEqual(expected);
  });
});

describe('a modem', () => {
  it('attaches within a minute of power-up, and sleeps if no datagram is waiting', async () => {
    const { clock, modem } = testModem();
    modem.start();
    expect(modem.state).toBe('boot');
    await clock.runUntil(minutes(1));
    expect([modem.registered, modem.state]).toEqual([true, 'sleep']);
    expect(modem.counters).toMatchObject({ attaches: 1, failed: 0 });
  });

  it('receives no datagram before it has attached, such as an answer that was in flight during a reboot', async () => {
    const { clock, modem } = testModem();
    expect(modem.carries('down')).toBe(false);
    modem.start();
    expect(modem.carries('down')).toBe(false);
    await clock.runUntil(minutes(1));
    expect(modem.carries('down')).toBe(true);
    modem.start();
    expect(modem.carries('down')).toBe(false);
  });

  it('continues when real time passes during its work, as on a busy machine', async () => {
    const clock = new VirtualClock();
    let late = 0;
    const busy = {
      get now() {
        late += seconds(10);
        return clock.now + late;
      },
      get wall() {
        return clock.wall;
      },
      after: clock.after.bind(clock),
    };
    const modem = new Modem(testBoard(busy, { attachPolicy: () => 'aggressive' }), new NoiseStream(3), 5);
    modem.start();
    const sent: string[] = [];
    modem.send(
      sending(() => sent.push('ready')),
      Number.POSITIVE_INFINITY,
    );
    await clock.runUntil(minutes(2));
    expect(sent).toEqual(['ready']);
  });

  it('wakes in one to four seconds', async () => {
    const { clock, modem } = testModem();
    modem.start();
    await clock.runUntil(minutes(1));
    let ready = 0;
    modem.send(
      sending(() => {
        ready = clock.now;
      }),
      Number.POSITIVE_INFINITY,
    );
    expect(modem.state).toBe('wakeup');
    await clock.runUntil(minutes(2));
    expect(ready - minutes(1)).toBeGreaterThanOrEqual(seconds(1));
    expect(ready - minutes(1)).toBeLessThanOrEqual(seconds(4));
  });

  it('without network pauses after three attempts, and shows the length of the pause', async () => {
    const { clock, modem } = testModem();
    modem.setCoverage(false);
    modem.start();
    await clock.runUntil(minutes(3));
    expect(modem).toMatchObject({ state: 'attach', attempt: 1, wait: { timeout: minutes(5) } });
    await clock.runUntil(minutes(8));
    expect(modem.attempt).toBe(2);
    await clock.runUntil(minutes(65));
    expect(modem).toMatchObject({ state: 'retry_delay', attempt: 3, wait: { timeout: hours(1) } });
    expect(modem.counters).toMatchObject({ attaches: 3, failed: 3, duration: hours(1) });
  });

  it('attaches as soon as an attempt finds the network again, and resets the number of attempts', async () => {
    const { clock, modem } = testModem();
    modem.setCoverage(false);
    modem.start();
    await clock.runUntil(minutes(20));
    modem.setCoverage(true);
    await clock.runUntil(minutes(21));
    expect(modem).toMatchObject({ registered: true, attempt: 0 });
  });

  it('that gets no connection although it was registered attaches again', async () => {
    const { clock, modem } = testModem();
    modem.start();
    await clock.runUntil(minutes(1));
    modem.setCoverage(false);
    modem.send(sending(), Number.POSITIVE_INFINITY);
    await clock.runUntil(minutes(1) + seconds(31));
    expect(modem.registered).toBe(false);
    await clock.runUntil(minutes(2));
    expect(modem.state).toBe('attach');
  });

  it('evaluates the connection after an exchange, and keeps its cell', async () => {
    const { clock, modem } = testModem();
    expect(modem.evaluation()).toBeUndefined();
    modem.start();
    await clock.runUntil(minutes(1));
    const first = modem.evaluation();
    modem.send(sending(), Number.POSITIVE_INFINITY);
    await clock.runUntil(minutes(2));
    const second = modem.evaluation();
    expect(first).toMatchObject({ plmn: 23003, band: 20 });
    expect(second?.cid).toBe(first?.cid);
  });

  it('sets no alarm while it is switched off', async () => {
    const { clock, modem } = testModem();
    modem.start();
    modem.stop();
    expect(clock.waiting).toBe(0);
    expect(modem.state).toBe('disabled');
  });
});
