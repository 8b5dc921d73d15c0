/** Downlinks that a cloud should not send, and times that a clock cannot have (`ctr_cloud.c`, `ctr_rtc.c`, `main.c`). */
import { describe, expect, it } from 'vitest';
import { days, hours, minutes, seconds } from '../../../src/kernel/time.js';
import { CborWriter } from '../../../src/protocol/cbor.js';
import { ACK, FIRST, LAST, NOTHING, POLL } from '../../../src/protocol/flap/packet.js';
import type { TestDeviceOptions } from '../../support/device.js';
import { readyDevice } from '../ready-device.js';
import { IDLE_SERVER, measured, report, type Server, scripted } from './measured.js';

/** SET_TIMESTAMP with any 64 bits. */
function timestamp(time: bigint): Uint8Array {
  const message = Buffer.alloc(9);
  message[0] = 0x81;
  message.writeBigUInt64BE(BigInt.asUintN(64, time), 1);
  return message;
}

const MAX_UINT64 = (1n << 64n) - 1n;

/** SET_SESSION with any time. 64 bits without a sign are more than the field holds. */
function session(time: bigint, id = 7): Uint8Array {
  const writer = new CborWriter();
  writer.mapOf(2);
  writer.key(0);
  writer.uint(id);
  writer.key(4);
  writer.int(time);
  return Buffer.concat([Buffer.of(0x80), writer.finish()]);
}

/** Answers polls with this message, once; everything else as an idle cloud. */
function once(message: Uint8Array, flags = FIRST | LAST): Server {
  let left = 1;
  return (packet) => (packet.flags & POLL && left-- > 0 ? { flags, data: message } : IDLE_SERVER(packet));
}

/** Answers the first packet that `by` answers, and no other. */
function onceOf(by: Server): Server {
  let answered = false;
  return (packet) => {
    const answer = answered ? undefined : by(packet);
    answered ||= answer !== undefined;
    return answer;
  };
}

async function started(options: Partial<TestDeviceOptions> = {}) {
  const bench = await scripted(options);
  await bench.start();
  return bench;
}

const clockOf = (bench: Awaited<ReturnType<typeof started>>) => bench.device.shell('rtc get').lines[0];

describe('a time outside of 1970 to 2099', () => {
  it.each([
    ['2100', 4_102_444_800n],
    ['2128', 4_985_971_200n],
    ['2^53', 1n << 53n],
    ['2^64 - 1', -1n],
  ])('in SET_TIMESTAMP changes nothing, and the poll is good: %s', async (_, time) => {
    const bench = await started();
    const { device, serve, run, of } = bench;
    const before = clockOf(bench);
    serve.by = once(timestamp(time));
    device.shell('cloud poll');
    await run(seconds(1));
    expect(clockOf(bench)?.slice(0, 13)).toBe(before?.slice(0, 13));
    expect(of('poll.failed')).toEqual([]);
    report(device);
    await run(minutes(1));
    expect(of('uplink.acked').length).toBeGreaterThan(1);
  });

  it('in SET_TIMESTAMP is accepted up to the last second of 2099', async () => {
    const bench = await started();
    bench.serve.by = once(timestamp(4_102_444_799n));
    bench.device.shell('cloud poll');
    await bench.run(600);
    expect(clockOf(bench)).toContain('2099/12/31 23:59:59');
  });

  it.each([4_985_971_200n, 1n << 53n, -1n, -(1n << 63n)])(
    'in SET_SESSION: the device goes on with its session, %s',
    async (time) => {
      const bench = await scripted();
      bench.serve.by = (packet) =>
        packet.flags === POLL ? { flags: FIRST | LAST, data: session(time) } : bench.session(packet);
      bench.device.powerOn();
      await bench.run(minutes(1));
      expect(bench.of('device.ready')).toHaveLength(1);
      expect(bench.sent().filter(({ data }) => data[0] === 0)).toHaveLength(1);
      expect(clockOf(bench)).toContain('1970/01/01 00:0');
    },
  );
});

describe('a poll', () => {
  it('that is answered with the poll flag and without data is followed by the next poll at once', async () => {
    const { device, serve, run, sent } = await started();
    serve.by = once(NOTHING, FIRST | LAST | POLL);
    device.shell('cloud poll');
    await run(seconds(3));
    expect(sent().filter(({ flags }) => flags & POLL)).toHaveLength(2);
  });

  it.each([1, 5, 8])('that fetches DOWNLOAD_DATA of %i bytes is good', async (size) => {
    const { device, serve, run, of } = await started();
    const data = new Uint8Array(size);
    data[0] = 0x86;
    serve.by = once(data);
    device.shell('cloud poll');
    await run(minutes(2));
    expect(of('poll.failed')).toEqual([]);
    expect(of('downlink.executed')).toMatchObject([{ type: 'session' }, { type: 'data', ok: true }]);
  });

  describe('that fetches a malformed SET_SESSION', () => {
    const NOT_A_MAP = Buffer.of(0x80, 0xff);
    /** Polls for this message, and returns the reboots of the following 150 s, in seconds since the poll. */
    const rebootsAfter = async (message: Uint8Array, then: Server = IDLE_SERVER, profile = 'clime') => {
      const { device, serve, run, of, clock } = await started({ profile });
      const polled = once(message);
      let first = true;
      serve.by = (packet) => {
        if (!first) return then(packet);
        if (packet.flags & POLL) first = false;
        return polled(packet);
      };
      const before = clock.now;
      device.shell('cloud poll');
      await run(seconds(10));
      device.shell('send');
      await run(seconds(140));
      const boots = of('device.boot').slice(1);
      expect(of('poll.failed')).toHaveLength(1);
      return boots.map(({ at, cause }) => [cause, Math.round((at - before) / 100) / 10]);
    };

    it('leaves no session: the watchdog is not fed, and the device reboots 120 s later', async () => {
      // A wake-up of 0.2 s and a connection of 0.3 s precede the answer.
      expect(await rebootsAfter(NOT_A_MAP)).toEqual([['watchdog', 120.5]]);
    });

    it('goes on with the session if its id was read before the error', async () => {
      expect(await rebootsAfter(session(MAX_UINT64))).toEqual([]);
    });

    it('is not mended by the poll flag of a report, which a device ignores for 5 min after a failed poll', async () => {
      const flagged: Server = (packet) =>
        packet.data.length > 0 ? { flags: ACK | POLL, data: NOTHING } : IDLE_SERVER(packet);
      expect(await rebootsAfter(NOT_A_MAP, flagged)).toEqual([['watchdog', 120.5]]);
    });

    it('has a new session after the reboot', async () => {
      const { device, serve, run, of, session: setUp } = await started();
      const polled = once(NOT_A_MAP);
      let fetched = false;
      serve.by = (packet) => {
        const answer = fetched ? setUp(packet) : polled(packet);
        fetched ||= (packet.flags & POLL) > 0;
        return answer;
      };
      device.shell('cloud poll');
      await run(minutes(10));
      expect(of('device.boot')).toHaveLength(2);
      expect(of('device.ready')).toHaveLength(2);
      expect(of('uplink.acked').filter(({ type }) => type === 'session')).toHaveLength(2);
    });

    it('is mended by the next poll if the hardware watchdog is slow: wM-Bus restarts after 20 min only', async () => {
      const { device, serve, run, of } = await started({ profile: 'wmbus' });
      const answers = [NOT_A_MAP, session(1_772_000_000n)];
      serve.by = (packet) => {
        const data = packet.flags & POLL ? answers.shift() : undefined;
        return data ? { flags: FIRST | LAST, data } : IDLE_SERVER(packet);
      };
      device.shell('cloud poll');
      await run(minutes(30));
      expect(answers).toEqual([]);
      expect(of('device.boot')).toHaveLength(1);
    });

    it('has no effect on an application without a downlink watchdog', async () => {
      expect(await rebootsAfter(NOT_A_MAP, IDLE_SERVER, 'motion')).toEqual([]);
    });
  });

  it('that fetches SET_SESSION with the id 0 is good, but leaves no session', async () => {
    const { device, serve, run, of } = await started();
    serve.by = once(session(1_772_000_000n, 0));
    device.shell('cloud poll');
    await run(seconds(150));
    expect(of('poll.failed')).toEqual([]);
    expect(of('device.boot').slice(1)).toMatchObject([{ cause: 'watchdog' }]);
  });
});

describe('a second round of the session phase with an empty poll', () => {
  /** Number of rounds until the device is ready. In round 2 and later, polls are answered without a message. */
  async function roundsUntilReady(first: Server, profile: string): Promise<number> {
    const bench = await scripted({ profile });
    let rounds = 0;
    bench.serve.by = (packet) => {
      if (packet.data[0] === 0) rounds++;
      const answer = rounds === 1 ? first(packet) : undefined;
      if (answer) return answer;
      if (packet.flags === POLL && rounds > 1) return { flags: FIRST | LAST, data: NOTHING };
      return bench.session(packet);
    };
    bench.device.powerOn();
    await bench.run(minutes(1));
    return bench.of('device.ready').length === 1 ? rounds : Number.NaN;
  }

  it.each(['clime', 'control', 'hio-node'])('goes on with the session of the first, %s', async (profile) => {
    // The upload of the decoder fails. A hio device repeats it, without another round.
    const failing: Server = ({ data }) => (data[0] === 3 ? { flags: FIRST, data: NOTHING } : undefined);
    expect(await roundsUntilReady(onceOf(failing), profile)).toBe(profile === 'hio-node' ? 1 : 2);
  });

  it.each(['clime', 'hio-node'])(
    'goes on with the fields that were read of a malformed SET_SESSION, %s',
    async (profile) => {
      const malformed: Server = ({ flags }) =>
        flags === POLL ? { flags: FIRST | LAST, data: session(MAX_UINT64) } : undefined;
      expect(await roundsUntilReady(malformed, profile)).toBe(2);
    },
  );

  it('is followed by further rounds if the id was not read', async () => {
    const malformed: Server = ({ flags }) =>
      flags === POLL ? { flags: FIRST | LAST, data: Buffer.of(0x80) } : undefined;
    expect(await roundsUntilReady(malformed, 'clime')).toBeNaN();
  });
});

describe('the downlink watchdog compares times of the clock', () => {
  it('that is set forward by two days: without an exchange, the device reboots 120 s later', async () => {
    const { device, run, of, clock, network } = await measured();
    network.up = false;
    const before = clock.now;
    const [date = '', time = ''] = (device.shell('rtc get').lines[0] ?? '').split(' ');
    const later = new Date(Date.parse(`${date.replaceAll('/', '-')}T${time}Z`) + days(2)).toISOString();
    device.shell(`rtc set ${later.slice(0, 10).replaceAll('-', '/')} ${later.slice(11, 19)}`);
    await run(seconds(125));
    const boots = of('device.boot').slice(1);
    expect(boots).toMatchObject([{ cause: 'watchdog' }]);
    expect((boots[0]?.at ?? 0) - before).toBe(seconds(120));
  });

  it('that is set forward by two days and then exchanges a message: no reboot', async () => {
    const { device, run, of } = await measured();
    device.controls.skew(days(2));
    await run(seconds(30));
    report(device);
    await run(minutes(10));
    expect(of('device.boot')).toHaveLength(1);
  });

  it('that is set back by 3,000 s: the reboot comes 3,000 s later', async () => {
    const rebootAfter = async (by: number) => {
      const { device, clock, of } = await readyDevice({ config: ['app config interval-report 86400'] });
      const began = clock.now;
      device.controls.skew(by);
      device.radio(false);
      await clock.runUntil(began + hours(40));
      return of('device.boot')[1]?.at ?? 0;
    };
    expect(Math.round(((await rebootAfter(-seconds(3000))) - (await rebootAfter(0))) / 1000)).toBe(3000);
  });
});

describe('lte metrics', () => {
  const metric = (lines: readonly string[], name: string) =>
    Number(lines.find((line) => line.startsWith(`${name}:`))?.split(': ')[1]);

  it('has the time of the attach by the clock at that moment, a few seconds after the boot', async () => {
    const { device } = await measured();
    const at = metric(device.shell('lte metrics').lines, 'attach last ts');
    expect(at).toBeGreaterThan(0);
    expect(at).toBeLessThan(30);
  });

  it('counts a radio connection from its beginning, without the time that it took to establish', async () => {
    const { device, run, zero } = await measured({ modem: { connect: [2000, 2000] } });
    const duration = () => metric(device.shell('lte metrics').lines, 'cscon 1 duration ms');
    zero();
    const before = duration();
    for (let poll = 0; poll < 4; poll++) {
      device.shell('cloud poll');
      await run(seconds(30));
    }
    // Four exchanges of some 12 ms, and their evaluations of 10 ms.
    expect(duration() - before).toBeGreaterThan(0);
    expect(duration() - before).toBeLessThanOrEqual(95);
  });
});
