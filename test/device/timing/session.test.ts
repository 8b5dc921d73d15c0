/** Start-up, the session phase and its errors (timing T-2, T-9 to T-17, T-60). */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { ACK, FIRST, LAST, NOTHING, type Packet, POLL } from '../../../src/protocol/flap/packet.js';
import { encodeDown } from '../../../src/protocol/messages/index.js';
import { expectTimes, IDLE_SERVER, measured, type Server, scripted } from './measured.js';

/** Types of the uplinks that begin in these packets. */
const uplinks = (packets: readonly Packet[]) =>
  packets.filter(({ flags, data }) => flags & FIRST && data.length > 0).map(({ data }) => data[0]);

const [CREATE_SESSION, DECODER, ENCODER, CONFIG] = [0, 3, 4, 2];

async function starting(server: (session: Server) => Server, profile = 'control') {
  const bench = await scripted({ profile });
  bench.serve.by = server(bench.session);
  bench.device.powerOn();
  return bench;
}

describe('the session phase', () => {
  it('uploads decoder, encoder and configuration in this order, then waits 10 s for the first report', async () => {
    const { run, sent, of } = await starting((session) => session);
    await run(minutes(1));
    expect(uplinks(sent()).slice(0, 4)).toEqual([CREATE_SESSION, DECODER, ENCODER, CONFIG]);
    const ready = of('device.ready')[0]?.at ?? 0;
    const first = of('uplink.made').find(({ type }) => type === 'data');
    expect((first?.at ?? 0) - ready).toBe(seconds(10));
  });

  it('waits without limit until the first socket is open', async () => {
    const { device, run, sent } = await scripted();
    device.radio(false);
    device.powerOn();
    await run(minutes(600));
    expect(sent()).toEqual([]);
  });

  it.each([
    [
      'an acknowledgement without poll flag',
      (packet: Packet) => (packet.data[0] === CREATE_SESSION ? { flags: ACK, data: NOTHING } : undefined),
    ],
    [
      'an empty answer to the poll',
      (packet: Packet) => (packet.flags === POLL ? { flags: FIRST | LAST, data: NOTHING } : undefined),
    ],
    [
      'another message in the place of SET_SESSION',
      (packet: Packet) =>
        packet.flags === POLL
          ? { flags: FIRST | LAST, data: encodeDown({ kind: 'set-timestamp', timestamp: 1_772_000_000 }) }
          : undefined,
    ],
  ])('starts over at once after %s', async (_, fault) => {
    let rounds = 0;
    const { run, of, sent } = await starting((session) => (packet) => {
      if (packet.data[0] === CREATE_SESSION) rounds++;
      return (rounds < 4 ? fault(packet) : undefined) ?? session(packet);
    });
    await run(minutes(1));
    expect(uplinks(sent()).filter((type) => type === CREATE_SESSION)).toHaveLength(4);
    // No pause: all rounds fit into a few seconds after the attach.
    expect(of('device.ready')[0]?.at).toBeLessThan(seconds(20));
  });

  it.each([
    ['decoder', DECODER, 2],
    ['encoder', ENCODER, 2],
    ['config', CONFIG, 1],
  ])('with one failed upload of the %s (type %d) takes %d rounds', async (_, type, rounds) => {
    let faults = 0;
    const { run, of, sent } = await starting((session) => (packet) => {
      const begins = packet.flags & FIRST && packet.data.length > 0 && packet.data[0] === type;
      // Wrong flags in an acknowledgement are an error at once.
      if (begins && faults++ === 0) return { flags: FIRST, data: NOTHING };
      return session(packet);
    });
    await run(minutes(1));
    expect(uplinks(sent()).filter((sentType) => sentType === CREATE_SESSION)).toHaveLength(rounds);
    expect(of('device.ready')).toHaveLength(1);
  });

  it('is not repeated when the network is lost later', async () => {
    const { device, until, times, zero } = await measured();
    zero();
    device.radio(false);
    device.shell('cloud poll');
    await until(minutes(10));
    device.radio(true);
    await until(minutes(20));
    expect(times('uplink.made')).toEqual([]);
    expect(device.modem.registered).toBe(true);
  });

  it('holds the lock: a poll from the shell waits for its end', async () => {
    const { device, run, serve, session, sent, of } = await scripted();
    serve.by = () => undefined;
    device.powerOn();
    await run(seconds(40));
    device.shell('cloud poll');
    await run(seconds(60));
    expect(uplinks(sent()).every((type) => type === CREATE_SESSION)).toBe(true);
    serve.by = session;
    await run(seconds(40));
    expect(of('device.ready')).toHaveLength(1);
    const after = sent().filter(({ flags }) => flags === POLL);
    // One for the session, and the one of the command.
    expect(after).toHaveLength(2);
  });

  it('starts the poll timer: the first tick is one interval after its end', async () => {
    const bench = await measured({ config: ['app config interval-poll 100'] });
    await bench.run(minutes(3));
    const ready = bench.of('device.ready')[0]?.at ?? 0;
    const polls = bench
      .of('device.wake')
      .filter(({ why }) => why === 'poll')
      .map(({ at }) => at - ready);
    expectTimes(polls, [100, 200]);
  });
});

describe('timeline 10.4: a config downlink of 20 lines, with a shell command queued after it', () => {
  it('saves and reboots 2.0 s plus 0.01 s per line later; the command follows right after the session', async () => {
    const { device, configure, command, until, times, zero } = await measured();
    await configure(Array.from({ length: 20 }, (_, i) => `app config interval-sample ${61 + i}`));
    zero();
    device.shell('cloud poll');
    await until(seconds(1));
    await command();
    await until(minutes(2));
    // The final acknowledgement leaves at 0.5 s.
    const [boot = 0] = times('device.boot');
    expectTimes([boot], [0.5 + 2.2]);
    const [ready = 0] = times('device.ready');
    expectTimes(
      times('downlink.executed', ({ type }) => type === 'shell'),
      [ready / 1000],
    );
    expectTimes(
      times('uplink.made', ({ type }) => type === 'data'),
      [ready / 1000 + 10],
    );
    // The system and the sensors start, then the modem boots and attaches.
    expect(ready - boot).toBeGreaterThanOrEqual(seconds(3.1 + 1));
    expect(ready - boot).toBeLessThanOrEqual(seconds(3.1 + 10 + 4));
  });

  it.each([
    [1, 2.01],
    [10, 2.1],
  ])('%d lines: the device reboots %d s after the final acknowledgement', async (lines, expected) => {
    const { device, serve, start, run, of, clock } = await scripted();
    await start();
    const config = Array.from({ length: lines }, (_, i) => `app config interval-sample ${61 + i}`);
    let acknowledged = 0;
    serve.by = (packet) => {
      if (packet.flags === ACK) acknowledged = clock.now;
      return packet.flags === POLL
        ? { flags: FIRST | LAST, data: encodeDown({ kind: 'download-config', lines: config }) }
        : IDLE_SERVER(packet);
    };
    device.shell('cloud poll');
    await run(seconds(10));
    expectTimes([(of('device.boot')[1]?.at ?? 0) - acknowledged], [expected]);
  });
});
