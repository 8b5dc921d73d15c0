/**
 * Losses of the radio in every state of an exchange, for several lengths. The seconds are worked out from the sources
 * (`ctr_lte_v2.c`, `ctr_cloud.c`, `hio_lte.c`), with the modem of the measurements: it boots in 3.43 s, attaches in 1.2 s, wakes
 * in 0.2 s and connects in 0.3 s, and each evaluation of the connection lasts 1 s.
 *
 * The network registers a modem that is awake 1.2 s after the end of a loss, whatever the firmware does meanwhile. The exchange
 * begins at 1 s.
 */
import { describe, expect, it } from 'vitest';
import { type Millis, millis, seconds } from '../../../src/kernel/time.js';
import type { Profile } from '../../../src/profile/profile.js';
import { chooseFirmware } from '../../../src/profile/versions.js';
import { datagramOf } from '../../support/device.js';
import { type MeasuredOptions, measured, report } from './measured.js';

type Bench = Awaited<ReturnType<typeof measured>>;

interface Situation extends MeasuredOptions {
  /** Queues the downlink that the poll fetches. Default: none */
  readonly queue?: (bench: Bench) => Promise<unknown>;
  /** Begins the exchange. Default: a poll */
  readonly start?: (bench: Bench) => void;
  /** Begin and end of each loss, in seconds. */
  readonly losses?: readonly (readonly [from: number, to: number])[];
  /** Numbers, from 1, of the datagrams of the device that are lost, and of the answers that are lost. Default: none */
  readonly lostUp?: readonly number[];
  readonly lostDown?: readonly number[];
  /** Seconds by which the first answer is late. Default: 0 */
  readonly firstAnswerLate?: number;
  /** Whether the network refuses power saving mode. Default: it grants it */
  readonly awake?: boolean;
}

async function situation(s: Situation): Promise<Bench> {
  const {
    queue,
    start = poll,
    losses = [],
    lostUp = [],
    lostDown = [],
    firstAnswerLate = 0,
    awake = false,
    ...options
  } = s;
  const count = { begun: false, up: 0, down: 0 };
  const bench: Bench = await measured({
    up: () => !count.begun || !lostUp.includes(++count.up),
    down: (packet) => {
      if (!count.begun) return true;
      const number = ++count.down;
      if (number > 1 || firstAnswerLate === 0) return !lostDown.includes(number);
      clock.after(ms(firstAnswerLate), 'a late answer', () => device.receive(datagramOf(packet)));
      return false;
    },
    ...options,
    modem: { boot: [3430, 3430], evaluation: 1000, ...options.modem },
  });
  const { device, clock } = bench;
  if (awake) {
    device.modem.setPowerSaving(false);
    device.shell('lte reconnect');
  }
  await bench.run(seconds(600));
  await queue?.(bench);
  bench.zero();
  count.begun = true;
  clock.after(seconds(1), 'the exchange', () => start(bench));
  for (const [from, to] of losses) {
    clock.after(ms(from), 'a loss', () => device.radio(false));
    clock.after(ms(to), 'the end of a loss', () => device.radio(true));
  }
  return bench;
}

const ms = (time: number): Millis => millis(Math.round(time * 1000));
const poll = ({ device }: Bench) => device.shell('cloud poll');
const command = (bench: Bench) => bench.command();
/** A configuration with 11 lines in each fragment. */
const fragments =
  (count: number) =>
  ({ configure }: Bench) =>
    configure(Array.from({ length: 11 * count }, (_, i) => `app config interval-sample ${61 + (i % 30)}`));
const configuration = fragments(4);
/** Reports of several fragments: six windows have been closed. */
const longReport = { start: ({ device }: Bench) => report(device) };

/** Expects times in seconds, within 0.15 s. */
function expectSeconds(times: readonly Millis[], wanted: readonly number[]): void {
  const close = times.map((at, i) => {
    const exact = wanted[i] ?? Number.NaN;
    return Math.abs(at / 1000 - exact) <= 0.15 ? exact : at / 1000;
  });
  expect(close).toEqual(wanted);
}

const onAir = (bench: Bench) => bench.sent().map(({ at }) => at);

describe('in the evaluation after the first answer', () => {
  it('for 0.3 s: the network registers the modem while the firmware still evaluates the connection', async () => {
    const bench = await situation({ queue: command, losses: [[1.6, 1.9]] });
    await bench.until(seconds(10));
    // Registered at 3.1, evaluated until 4.1: the acknowledgement, then the answer of the command in two fragments.
    expectSeconds(onAir(bench), [1.5, 4.1, 5.1, 6.1]);
  });

  it('for 30 s, in the third of four fragments: the transfer goes on', async () => {
    const bench = await situation({ queue: configuration, losses: [[4, 34]] });
    await bench.until(seconds(45));
    // Registered at 35.2, evaluated until 36.2.
    expectSeconds(onAir(bench), [1.5, 2.5, 3.5, 36.2, 37.2]);
    expectSeconds(bench.times('device.boot'), [39.64]);
  });

  it('for 75 s, in the third of four fragments: the poll fails 60 s after that fragment', async () => {
    const bench = await situation({ queue: configuration, losses: [[4, 79]] });
    await bench.until(seconds(372));
    expectSeconds(bench.times('poll.failed'), [63.5]);
    expectSeconds(onAir(bench), [1.5, 2.5, 3.5, 364, 365, 366, 367, 368]);
  });

  it('for 90 s, in the second fragment of a report: the report is in time', async () => {
    const bench = await situation({ ...longReport, losses: [[2.45, 92.45]] });
    await bench.until(seconds(96));
    expectSeconds(onAir(bench), [1.5, 94.65]);
    await bench.until(seconds(100));
    expect(bench.device.spool.count).toBe(0);
  });

  it('for 1,000 s, in the second fragment of a report of 3.5.5: it waits, and the third attach window finds the network', async () => {
    const bench = await situation({
      ...longReport,
      change: (profile) => chooseFirmware(profile, '3.5.5'),
      losses: [[2, 1002]],
    });
    await bench.until(seconds(1004.5));
    expectSeconds(onAir(bench), [1.5, 1004.2]);
  });

  it('for 1,000 s, in the second fragment of a report of 4.0: the next report is sent first, then the stored one', async () => {
    const bench = await situation({ ...longReport, losses: [[2, 1002]] });
    await bench.until(seconds(122));
    expect(bench.device.busyWith).toBeUndefined();
    expect(bench.device.spool.count).toBe(1);
    await bench.until(seconds(1100));
    report(bench.device);
    await bench.until(seconds(1101));
    expectSeconds(onAir(bench), [1.5, 1100.5]);
    await bench.until(seconds(1120));
    expect(bench.device.spool.count).toBe(0);
  });

  it('for 10 s, if the network refuses power saving mode: the modem attaches before the exchange, and again', async () => {
    const bench = await situation({ queue: command, awake: true, losses: [[3.9, 13.9]] });
    await bench.until(seconds(17));
    // Woken at 1.2, registered at 2.4; registered again at 15.1.
    expectSeconds(onAir(bench), [3.4, 16.1]);
  });

  it('for 10 s, and for 10 s again in the evaluation of the new socket', async () => {
    const bench = await situation({
      queue: command,
      losses: [
        [2, 12],
        [13.7, 23.7],
      ],
    });
    await bench.until(seconds(26.5));
    expectSeconds(onAir(bench), [1.5, 25.9]);
  });

  it('for 100 s, before a poll that the acknowledgement of a report has asked for: the modem counts as stuck', async () => {
    const bench = await situation({
      profile: 'motion',
      queue: command,
      start: ({ device }) => report(device),
      losses: [[2, 102]],
    });
    await bench.until(seconds(400));
    // 60 s and 30 s after the hand-over at 1.5. The modem is off until 101.6, and registers at 106.23.
    expectSeconds(bench.times('poll.failed'), [91.5]);
    expect(bench.of('poll.failed').at(-1)?.why).toBe('modem stuck');
    expectSeconds(onAir(bench).slice(0, 2), [1.5, 392]);
  });

  it('for 400 s, before the answer of a shell downlink: the answer has no time limit', async () => {
    const bench = await situation({ queue: command, losses: [[3, 403]] });
    await bench.until(seconds(406));
    expectSeconds(bench.times('downlink.executed'), [2.5]);
    expectSeconds(onAir(bench), [1.5, 2.5, 405.2]);
    expect(bench.times('poll.failed')).toEqual([]);
  });

  it('for 600 s, before a report of the spool: the modem counts as stuck 30 s after the budget of the new report', async () => {
    const bench = await situation({ losses: [[603, 1203]], start: () => {} });
    const { device, until } = bench;
    await until(seconds(1));
    // A report that fails without radio is stored.
    device.radio(false);
    report(device);
    await until(seconds(200));
    device.radio(true);
    await until(seconds(601));
    expect(device.spool.count).toBe(1);
    report(device);
    // The new report has two fragments. The stored one is handed over at 602.5, with a budget until 721.
    await until(seconds(603));
    expectSeconds(onAir(bench), [601.5, 602.5]);
    expect(device.spool.count).toBe(1);
    await until(seconds(750.9));
    expect(device.busyWith).toContain('an exchange');
    await until(seconds(751.1));
    expect(device.busyWith).toBeUndefined();
    expect(device.spool.count).toBe(1);
    expect(device.modem.state).toBe('error');
  });
});

describe('while the firmware listens for an answer that is lost', () => {
  it('for 1 s: the modem is registered again when the firmware stops to listen, and only the pause of 5 s follows', async () => {
    const bench = await situation({ lostDown: [1], losses: [[3, 4]] });
    await bench.until(seconds(16));
    const [first = 0, second = 0] = onAir(bench);
    expectSeconds([first], [1.5]);
    // 5 s of listening and the pause; then the radio connection is still there, or takes 0.3 s.
    expect(second).toBeGreaterThanOrEqual(seconds(11.5));
    expect(second).toBeLessThanOrEqual(seconds(11.85));
  });

  it('for 3 s: the modem is not registered yet when the firmware stops to listen, so it is restarted', async () => {
    const bench = await situation({ lostDown: [1], losses: [[3, 6]] });
    await bench.until(seconds(23));
    // Off from 6.5 to 16.6, booted at 20.03, registered at 21.23.
    expectSeconds(onAir(bench), [1.5, 22.23]);
  });

  it('for 3 s in a hio device', async () => {
    const bench = await situation({ profile: 'hio-node', lostDown: [1], losses: [[3, 6]] });
    await bench.until(seconds(20));
    // On air at 1.3, off from 6.3 to 16.3, booted at 16.43, registered at 17.63.
    expectSeconds(onAir(bench), [1.3, 18.63]);
  });

  it('for 2 s in the pause of 5 s: the check before the copy finds the modem registered', async () => {
    const bench = await situation({ lostDown: [1], losses: [[7, 9]] });
    await bench.until(seconds(16));
    const [, second = 0] = onAir(bench);
    expect(second).toBeGreaterThanOrEqual(seconds(11.5));
    expect(second).toBeLessThanOrEqual(seconds(11.85));
  });

  it('for 4 s in the pause of 5 s: the check before the copy finds no registration', async () => {
    const bench = await situation({ lostDown: [1], losses: [[7, 11]] });
    await bench.until(seconds(28));
    // Registered at 12.2, after the check at 11.5. Off until 21.6, booted at 25.03, registered at 26.23.
    expectSeconds(onAir(bench), [1.5, 27.23]);
  });
});

describe('while the modem waits for a radio connection', () => {
  it('for 10 s: the modem attaches at once', async () => {
    const bench = await situation({ losses: [[1.3, 11.3]] });
    await bench.until(seconds(14));
    // Registered at 12.5.
    expectSeconds(onAir(bench), [13.5]);
  });

  it('for 100 s: the poll fails exactly at its budget, because an attempt has ended', async () => {
    const bench = await situation({ losses: [[1.3, 101.3]] });
    await bench.until(seconds(362));
    expectSeconds(bench.times('poll.failed'), [61]);
    expect(bench.of('poll.failed').at(-1)?.why).toBe('deregistered');
    expectSeconds(onAir(bench), [361.5]);
  });
});

it('while the modem sleeps, for 50 s: the check before the send finds it, and the modem is restarted', async () => {
  const bench = await situation({ ...longReport, losses: [[0.5, 50]] });
  await bench.until(seconds(52.5));
  // Off from 1.2 to 11.3, booted at 14.73; registered at 51.2.
  expectSeconds(onAir(bench), [52.2]);
});

describe('a hio device, in the evaluation after the first answer', () => {
  it('for 10 s: the final acknowledgement follows the attach, and the command half a second later', async () => {
    const bench = await situation({ profile: 'hio-node', queue: command, losses: [[1.8, 11.8]] });
    await bench.until(seconds(15));
    // Registered at 13; the acknowledgement asks the network to release the connection, which takes 0.5 s.
    expectSeconds(onAir(bench).slice(0, 2), [1.3, 14]);
    expectSeconds(bench.times('downlink.executed'), [14.5]);
  });

  it('for 400 s: the second attach window, which begins without a boot, finds the network', async () => {
    const bench = await situation({ profile: 'hio-node', queue: command, losses: [[1.8, 401.8]] });
    await bench.until(seconds(404.3));
    expectSeconds(onAir(bench), [1.3, 404]);
  });
});

describe('a hio device, in the half second after its final acknowledgement', () => {
  // The acknowledgement is on the air at 2.4, and the firmware handles no event until 2.9 (`hio_lte.c`, `send_event_handler`).
  it.each([
    { lasts: 'for 0.05 s', until: 2.65, answer: 4.9 },
    { lasts: 'for 2 s', until: 4.6, answer: 6.8 },
    { lasts: 'for 197.4 s', until: 200, answer: 202.2 },
  ])('$lasts: the command runs, and its answer waits for the radio', async ({ until, answer }) => {
    const bench = await situation({ profile: 'hio-node', queue: command, losses: [[2.6, until]] });
    await bench.until(seconds(210));
    // Evaluated until 3.9, then registered, and evaluated again.
    expectSeconds(bench.times('downlink.executed'), [2.9]);
    expectSeconds(onAir(bench), [1.3, 2.4, answer]);
  });

  it('a change of the signal repeats nothing', async () => {
    const bench = await situation({ profile: 'hio-node', queue: command });
    bench.clock.after(seconds(2.6), 'the signal', () => bench.device.modem.setSignal({ rsrp: -100, snr: 10 }));
    await bench.until(seconds(10));
    expectSeconds(onAir(bench), [1.3, 2.4, 3.9]);
  });
});

describe('a registration that the firmware has missed does not shorten the next attach from flight mode', () => {
  // Wake 0.2, attach 1.2, evaluation 1.
  it('in the pause before a copy', async () => {
    const bench = await situation({ queue: command, awake: true, lostDown: [1], losses: [[10, 11]] });
    bench.clock.after(seconds(100), 'another poll', () => poll(bench));
    await bench.until(seconds(110));
    // The pause: 8.4 to 13.4
    expectSeconds(onAir(bench).slice(-1), [102.4]);
  });

  it('in the last pause of a failed poll', async () => {
    const bench = await situation({ awake: true, losses: [[61.2, 61.4]] });
    bench.network.up = false;
    await bench.until(seconds(370));
    expectSeconds(bench.times('poll.failed'), [61]);
    expectSeconds(onAir(bench).slice(6), [363.4]);
  });
});

it('a tick of the poll timer within 5 min of a failed poll has no effect', async () => {
  const bench = await measured({
    modem: { boot: [3430, 3430], evaluation: 1000 },
    config: ['app config interval-poll 240'],
  });
  await bench.command();
  await bench.tick(seconds(240));
  await bench.until(seconds(1));
  bench.device.radio(false);
  await bench.until(seconds(131));
  bench.device.radio(true);
  await bench.until(seconds(500));
  // Ticks at 0, 240 and 480. The poll of the first fails at 60.5, and is repeated at 360.5.
  expectSeconds(bench.times('poll.failed'), [60.5]);
  expectSeconds(onAir(bench), [0.5, 361, 480.5]);
});

it('polls behind a report of 3.5.5 without radio fail every 60 s, and the last of them follows the report at once', async () => {
  const bench = await situation({
    ...longReport,
    change: (profile) => chooseFirmware(profile, '3.5.5'),
    config: ['app config interval-poll 60'],
    losses: [[2, 202]],
  });
  await bench.until(seconds(206));
  const [first = 0, second = 0, ...more] = bench.times('poll.failed');
  expect(second - first).toBeCloseTo(seconds(60), -1);
  expect(more).toEqual([]);
  // Registered at 203.2: the second fragment, and the poll after its evaluation.
  expectSeconds(onAir(bench), [1.5, 204.2, 205.2]);
});

/** Exchanges of several fragments: the times of all datagrams of the device. */
describe('datagrams', () => {
  const released = (after: number) => ({ release: [seconds(after), seconds(after)] as const });
  const on355 = { change: (profile: Profile) => chooseFirmware(profile, '3.5.5') };
  const cases: readonly (Situation & { readonly name: string; readonly sent: readonly number[] })[] = [
    {
      // The cloud answers only every second copy.
      name: 'a lost answer, and a release after 11 s: copies over the same connection',
      queue: fragments(3),
      modem: released(11),
      lostDown: [1],
      sent: [1.5, 11.5, 21.5, 22.5, 23.5, 24.5],
    },
    {
      name: 'a lost answer, and a release after 2 s: each copy needs a connection',
      queue: fragments(3),
      modem: released(2),
      lostDown: [1],
      sent: [1.5, 11.8, 22.1, 23.1, 24.1, 25.1],
    },
    {
      name: 'the lost answer to an acknowledgement, and a release in the pause, after 6 s',
      queue: fragments(3),
      modem: released(6),
      lostDown: [2],
      sent: [1.5, 2.5, 12.8, 22.8, 23.8, 24.8],
    },
    {
      name: 'a lost acknowledgement: the cloud answers its copy',
      queue: fragments(3),
      modem: released(11),
      lostUp: [2],
      sent: [1.5, 2.5, 12.5, 13.5, 14.5],
    },
    {
      // The third copy is answered as well: its answer waits in the socket and repeats the first acknowledgement.
      name: 'an answer that is 17 s late',
      queue: fragments(2),
      modem: released(11),
      firstAnswerLate: 17,
      sent: [1.5, 11.5, 21.5, 22.5, 23.5, 24.5],
    },
    {
      // The answer of the third copy is read in place of the acknowledgement of the answer: unexpected flags, and the poll fails.
      name: 'an answer to a poll for a command that is 17 s late: the next poll follows after 300 s',
      queue: command,
      modem: released(11),
      firstAnswerLate: 17,
      sent: [1.5, 11.5, 21.5, 22.5, 23.5, 324],
    },
    {
      // The pause of 5 s from 8.5; registered at 5.7.
      name: 'a loss for 0.5 s while listening for the third of five fragments',
      queue: fragments(5),
      modem: released(11),
      lostDown: [3],
      losses: [[4, 4.5]],
      sent: [1.5, 2.5, 3.5, 13.5, 23.5, 24.5, 25.5, 26.5],
    },
    {
      // Off from 8.5 to 18.6, booted at 22.03.
      name: 'a loss for 4 s while listening for the third of five fragments',
      queue: fragments(5),
      modem: released(11),
      lostDown: [3],
      losses: [[4, 8]],
      sent: [1.5, 2.5, 3.5, 24.23, 34.23, 35.23, 36.23, 37.23],
    },
    {
      // The first fragment arrives again more than 60 s after its first copy: the cloud asks for the whole message.
      name: 'a report of 3.5.5 without an answer, and a loss for 98 s while listening',
      ...on355,
      start: longReport.start,
      modem: released(11),
      lostDown: [1],
      losses: [[2, 100]],
      sent: [1.5, 102.2, 103.2, 104.2],
    },
    {
      // The budget of the acknowledgement ends at 63.2, while its sixth copy waits for the connection.
      name: 'five lost acknowledgements, and 2 s for each connection: the sixth is in time',
      queue: fragments(3),
      modem: { ...released(2), connect: [2000, 2000] },
      lostUp: [2, 3, 4, 5, 6],
      sent: [3.2, 4.2, 16.2, 28.2, 40.2, 52.2, 64.2, 65.2, 66.2],
    },
    {
      // The poll fails at 62.2, and the firmware is still in `ready`: the loss in the pause is never noticed.
      name: 'six lost polls, and a loss in the last pause',
      modem: { ...released(2), connect: [1000, 1000] },
      lostUp: [1, 2, 3, 4, 5, 6],
      losses: [[63, 100]],
      sent: [2.2, 13.2, 24.2, 35.2, 46.2, 57.2, 363.2],
    },
    {
      // −14 at 91, 481, 871 … 3,211 s; the last poll, begun at 3,511, is in time because the radio is back within its 30 s more.
      name: 'a loss for an hour in flight mode',
      queue: command,
      awake: true,
      losses: [[0.5, 3595]],
      sent: [3597.2, 3598.2, 3599.2, 3600.2],
    },
    {
      // Between the two losses the modem is not registered yet.
      name: 'two losses in the evaluation before an acknowledgement',
      queue: command,
      losses: [
        [1.9, 3],
        [3.5, 5],
      ],
      sent: [1.5, 7.2, 8.2, 9.2],
    },
    {
      name: 'a hio device, and a loss for 2 s while listening for an answer that is lost',
      profile: 'hio-node',
      queue: command,
      modem: released(11),
      lostDown: [1],
      losses: [[2, 4]],
      sent: [1.3, 11.3, 21.3, 22.4, 23.9],
    },
    {
      // Blocked until 121, the sender waits until 151.
      name: 'a hio device, asleep, and a loss for 200 s',
      profile: 'hio-node',
      queue: command,
      losses: [[0.2, 200]],
      sent: [202.2, 203.3, 204.8],
    },
  ];
  it.each(cases)('$name', async ({ name: _, sent, ...options }) => {
    const bench = await situation(options);
    await bench.until(ms((sent.at(-1) ?? 0) + 0.5));
    expectSeconds(onAir(bench), sent);
  });
});
