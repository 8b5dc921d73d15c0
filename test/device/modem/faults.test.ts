/** Faults of a modem, and how the firmware recovers from them (timing T-53, T-56). */
import { describe, expect, it } from 'vitest';
import { Modem } from '../../../src/device/modem/modem.js';
import type { LteFsmState, ModemBoard } from '../../../src/device/modem/state.js';
import { NoiseStream } from '../../../src/kernel/random.js';
import { type Instant, type Millis, millis, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { sending, testBoard } from '../../support/device.js';

interface Phase {
  readonly state: LteFsmState;
  readonly lasted: Millis;
}

/** A modem that has attached and sleeps. */
async function attached(change: Partial<ModemBoard> = {}) {
  const clock = new VirtualClock();
  const modem = new Modem(testBoard(clock, change), new NoiseStream(3), 5);
  modem.start();
  await clock.runUntil(minutes(2));
  return {
    clock,
    modem,
    /** Connects, and returns the time until the modem was ready to send. */
    async connect(): Promise<Millis> {
      const begun = clock.now;
      let ready: Instant | undefined;
      modem.send(
        sending(() => {
          ready = clock.now;
        }),
        Number.POSITIVE_INFINITY,
      );
      while (ready === undefined) await clock.runUntil(clock.now + millis(100));
      return ready - begun;
    },
    /** The states that the modem goes through, to a tenth of a second. */
    async phases(duration: Millis): Promise<readonly Phase[]> {
      const phases: { state: LteFsmState; lasted: Millis }[] = [];
      for (const end = clock.now + duration; clock.now < end; await clock.runUntil(clock.now + millis(100))) {
        const last = phases.at(-1);
        if (last?.state === modem.state) last.lasted += 100;
        else phases.push({ state: modem.state, lasted: 100 });
      }
      return phases;
    },
  };
}

const names = (phases: readonly Phase[]) => phases.map(({ state }) => state);
const lengths = (phases: readonly Phase[], of: LteFsmState) =>
  phases.filter(({ state }) => state === of).map(({ lasted }) => Math.round(lasted / 1000));

describe('the states of a modem', () => {
  it('from boot to sleep are those of the firmware, in the order of the firmware', async () => {
    const { clock, modem, phases } = await attached();
    modem.start();
    expect(names(await phases(minutes(1)))).toEqual(['boot', 'prepare', 'attach', 'open_socket', 'coneval', 'sleep']);
    modem.send(sending(), Number.POSITIVE_INFINITY);
    expect(names(await phases(seconds(9)))).toEqual(['wakeup', 'send', 'coneval', 'sleep']);
    expect(clock.waiting).toBe(0);
  });
});

describe('without power saving mode', () => {
  it('the modem goes into flight mode 500 ms after it has evaluated the connection, and the next send begins with an attach', async () => {
    const { modem, phases, connect } = await attached();
    modem.setPowerSaving(false);
    modem.reconnect();
    await phases(minutes(1));
    expect([modem.state, modem.registered]).toEqual(['sleep', false]);
    expect(await connect()).toBeGreaterThanOrEqual(seconds(5));
    expect(await phases(seconds(3))).toMatchObject([
      { state: 'coneval', lasted: 1000 },
      { state: 'ready', lasted: 500 },
      { state: 'sleep' },
    ]);
    expect(await connect()).toBeGreaterThanOrEqual(seconds(5));
    expect(modem.counters.attaches).toBe(4);
  });

  it('an exchange that follows at once finds the socket still open', async () => {
    const { modem, phases, connect } = await attached();
    modem.setPowerSaving(false);
    modem.reconnect();
    await phases(minutes(1));
    await connect();
    // The evaluation after the previous exchange comes first.
    expect(await connect()).toBeLessThanOrEqual(seconds(1));
  });

  it('a device in flight mode receives nothing', async () => {
    const { modem, phases } = await attached();
    modem.setPowerSaving(false);
    modem.reconnect();
    await phases(minutes(1));
    expect(modem.carries('down')).toBe(false);
  });

  it('a network that loses or gains power saving mode affects the modem from its next attach on', async () => {
    const { modem, phases, connect } = await attached();
    modem.setPowerSaving(false);
    expect(await connect()).toBeLessThanOrEqual(seconds(4));
    modem.reconnect();
    await phases(minutes(1));
    modem.setPowerSaving(true);
    await connect();
    await phases(seconds(10));
    expect(modem.registered).toBe(true);
    expect(await connect()).toBeLessThanOrEqual(seconds(4));
  });
});

describe('an error of the modem', () => {
  it('switches the modem off for 10 s; then the modem boots', async () => {
    const { modem, phases } = await attached();
    modem.suffer('error');
    const seen = await phases(minutes(2));
    expect(names(seen)).toEqual(['error', 'boot', 'prepare', 'attach', 'open_socket', 'coneval', 'sleep']);
    expect(lengths(seen, 'error')).toEqual([10]);
  });

  it('that repeats lengthens the pause by 10 s each time, up to 600 s', async () => {
    const { modem, phases } = await attached();
    modem.setFault('mute');
    modem.send(sending(), Number.POSITIVE_INFINITY);
    const errors = lengths(await phases(minutes(60 * 8)), 'error');
    expect(errors.slice(0, 5)).toEqual([10, 20, 30, 40, 50]);
    expect(errors.slice(58, 62)).toEqual([590, 600, 600, 600]);
  });

  it('no longer lengthens later pauses after a socket has opened', async () => {
    const { modem, phases } = await attached();
    modem.setFault('mute');
    modem.send(sending(), Number.POSITIVE_INFINITY);
    await phases(minutes(5));
    modem.setFault(undefined);
    await phases(minutes(5));
    expect(modem.registered).toBe(true);
    modem.suffer('error');
    expect(lengths(await phases(minutes(1)), 'error')).toEqual([10]);
  });

  it.each([
    ['mute', 'boot', 11],
    ['no-sim', 'boot', 19],
  ] as const)('by the fault %s ends the state %s after 10 to %d s', async (fault, state, atMost) => {
    const { modem, phases } = await attached();
    modem.setFault(fault);
    modem.reconnect();
    const [first] = lengths(await phases(minutes(1)), state);
    expect(first).toBeGreaterThanOrEqual(10);
    expect(first).toBeLessThanOrEqual(atMost);
  });

  it('delays a waiting datagram until the modem is repaired', async () => {
    const { clock, modem } = await attached();
    let ready = false;
    modem.setFault('no-sim');
    modem.send(
      sending(() => {
        ready = true;
      }),
      Number.POSITIVE_INFINITY,
    );
    await clock.runUntil(minutes(10));
    expect(ready).toBe(false);
    modem.setFault(undefined);
    await clock.runUntil(minutes(15));
    expect(ready).toBe(true);
  });
});

describe('an error without a network', () => {
  const offline = async () => {
    const modem = await attached();
    modem.modem.setCoverage(false);
    modem.modem.reconnect();
    return modem;
  };

  it('restarts the attach attempt', async () => {
    const { clock, modem, phases } = await offline();
    await clock.runUntil(clock.now + minutes(7));
    expect(modem).toMatchObject({ state: 'attach', attempt: 2 });
    modem.suffer('error');
    const seen = await phases(minutes(1));
    expect(names(seen)).toEqual(['error', 'boot', 'prepare', 'attach']);
    expect(lengths(seen, 'error')).toEqual([10]);
    expect(modem).toMatchObject({ attempt: 2, wait: { timeout: minutes(5) } });
  });

  it('ends a pause of the attach policy, and the next attempt follows', async () => {
    const { clock, modem } = await offline();
    await clock.runUntil(clock.now + minutes(62));
    expect(modem).toMatchObject({ state: 'retry_delay', attempt: 3 });
    modem.suffer('error');
    await clock.runUntil(clock.now + minutes(1));
    expect(modem).toMatchObject({ state: 'attach', attempt: 4, wait: { timeout: minutes(5) } });
  });

  it('that interrupts an attach attempt counts the use of the radio up to the error', async () => {
    const spent: Millis[] = [];
    const { clock, modem } = await attached({ spent: (use, duration) => use === 'attach' && spent.push(duration) });
    modem.setCoverage(false);
    modem.reconnect();
    await clock.runUntil(clock.now + minutes(1));
    spent.length = 0;
    modem.suffer('error');
    expect(spent).toHaveLength(1);
    expect(spent[0]).toBeGreaterThan(seconds(50));
  });
});

describe('a socket', () => {
  it('is opened after every attach, and again after a loss', async () => {
    let opened = 0;
    const { modem, connect } = await attached({ socketOpened: () => opened++ });
    expect(opened).toBe(1);
    await connect();
    expect(opened).toBe(1);
    modem.suffer('lost-socket');
    await connect();
    expect(opened).toBe(2);
    modem.reconnect();
    await connect();
    expect(opened).toBe(3);
  });
});

describe('a modem that determines its position', () => {
  it('is in the state "gnss" instead of sleeping, between its exchanges, until positioning is stopped', async () => {
    const { clock, modem, connect } = await attached();
    modem.positioning = true;
    expect(modem.state).toBe('gnss');
    expect(await connect()).toBeLessThanOrEqual(seconds(4));
    await clock.runUntil(clock.now + seconds(2));
    expect(modem.state).toBe('gnss');
    modem.positioning = false;
    expect(modem.state).toBe('sleep');
  });

  it('stops positioning at a boot', async () => {
    const { clock, modem } = await attached();
    modem.positioning = true;
    modem.stop();
    modem.start();
    await clock.runUntil(clock.now + minutes(1));
    expect(modem.state).toBe('sleep');
  });
});

describe('a lost socket', () => {
  it('is replaced after 5 s, without a new attach', async () => {
    const { modem, connect } = await attached();
    modem.suffer('lost-socket');
    const took = await connect();
    expect(took).toBeGreaterThanOrEqual(seconds(6));
    expect(took).toBeLessThanOrEqual(seconds(10));
    expect(modem.counters.attaches).toBe(1);
  });

  it('that cannot be replaced is tried twice more, then the modem restarts', async () => {
    const { modem, phases } = await attached();
    modem.setFault('no-socket');
    modem.send(sending(), Number.POSITIVE_INFINITY);
    const seen = await phases(seconds(30));
    expect(names(seen).slice(1, 7)).toEqual(['error', 'open_socket', 'error', 'open_socket', 'error', 'boot']);
    expect(lengths(seen, 'error')).toEqual([5, 5, 10]);
  });
});

describe('a lost registration', () => {
  it('is found by the check of the next send: the modem is off for 10 s, boots and attaches again', async () => {
    const { clock, modem, connect } = await attached();
    modem.suffer('lost-registration');
    await clock.runUntil(clock.now + minutes(5));
    expect(modem.registered).toBe(true);
    // 10 s off, 5 s of boot, 5 s of attach at least.
    expect(await connect()).toBeGreaterThanOrEqual(seconds(20));
    expect(modem.counters.attaches).toBe(2);
  });
});

describe('a reset loop', () => {
  it('leaves the modem off for 32 min, 10 s and the 0.1 s of the serial line; then the modem attaches without a boot', async () => {
    const { modem, phases } = await attached();
    modem.suffer('reset-loop');
    const seen = await phases(minutes(34));
    expect(names(seen).slice(0, 2)).toEqual(['reset_loop', 'attach']);
    expect(seen[0]?.lasted).toBe(minutes(32) + seconds(10) + 100);
    expect(modem.registered).toBe(true);
  });

  it('follows the seventh brown-out within half an hour', async () => {
    let fed = true;
    const { clock, modem, phases } = await attached({ feedRadio: () => fed });
    fed = false;
    for (let i = 0; i < 7; i++) {
      modem.start();
      expect(modem.state).toBe('boot');
      await clock.runUntil(clock.now + minutes(1));
    }
    modem.start();
    expect(names(await phases(seconds(10)))).toEqual(['boot', 'prepare', 'reset_loop']);
  });
});

describe('an evaluation of the connection', () => {
  it('fails without network, and the previous result stays', async () => {
    const { modem, phases } = await attached();
    const before = modem.evaluation();
    modem.setCoverage(false);
    modem.send(sending(), Number.POSITIVE_INFINITY);
    await phases(minutes(1));
    expect(modem.evaluation()).toEqual(before);
  });
});
