/** Which poll flags of the cloud make a device poll (timing T-23). */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { ACK, FIRST, LAST, NOTHING, type Packet, POLL } from '../../../src/protocol/flap/packet.js';
import { type DownMessage, encodeDown } from '../../../src/protocol/messages/index.js';
import { expectTimes, IDLE_SERVER, measured, report, type Server, scripted } from './measured.js';

const polls = (packets: readonly Packet[]) => packets.filter(({ flags }) => flags & POLL).length;

const SHELL: DownMessage = { kind: 'download-shell', messageId: new Uint8Array(16), commands: ['info show'] };

/** Answers the first poll with `message` and the poll flag; acknowledges data with the flags `acknowledgement`. */
function offering(message: DownMessage, acknowledgement = ACK): Server {
  let offered = false;
  return (packet) => {
    if (packet.flags & POLL && !offered) {
      offered = true;
      return { flags: FIRST | LAST | POLL, data: encodeDown(message) };
    }
    return packet.data.length > 0 ? { flags: acknowledgement, data: NOTHING } : IDLE_SERVER(packet);
  };
}

describe('the poll flag', () => {
  it('of the acknowledgement of a report queues a poll at once', async () => {
    const { device, command, until, times, zero } = await measured();
    await command();
    zero();
    report(device);
    await until(seconds(30));
    expectTimes(times('downlink.executed'), [0.6]);
  });

  it('of SET_SESSION is followed right after the session phase', async () => {
    const { device, command, run, times, zero } = await measured();
    await command();
    zero();
    device.reboot('power');
    await run(minutes(2));
    const ready = (times('device.ready')[0] ?? 0) / 1000;
    expectTimes(
      times('downlink.executed', ({ type }) => type === 'shell'),
      [ready],
    );
    // The first report comes 10 s later.
    expectTimes(
      times('uplink.made', ({ type }) => type === 'data'),
      [ready + 10],
    );
  });

  it('of the acknowledgement of an upload in the session phase queues one poll after the phase', async () => {
    const { device, serve, session, run, sent, of } = await scripted();
    serve.by = (packet) => {
      const upload = packet.data.length > 0 && packet.data[0] !== 0 && of('device.ready').length === 0;
      return upload ? { flags: ACK | POLL, data: NOTHING } : session(packet);
    };
    device.powerOn();
    while (of('device.ready').length === 0) await run(100);
    await run(seconds(5));
    // One for the session, and one after the phase.
    expect(polls(sent())).toBe(2);
  });

  it('of the acknowledgement of CREATE_SESSION queues no poll besides the poll for the session', async () => {
    const { device, serve, session, run, sent, of } = await scripted();
    serve.by = session;
    device.powerOn();
    while (of('device.ready').length === 0) await run(100);
    await run(seconds(5));
    expect(polls(sent())).toBe(1);
  });

  it.each([
    ['data', { kind: 'download-data', hash: '0000000000000000', body: new Uint8Array([0xa0]) } as DownMessage],
    ['timestamp', { kind: 'set-timestamp', timestamp: 1_772_000_000 } as DownMessage],
  ])('of a downlink of type %s, which has no answer, queues the next poll', async (_, message) => {
    const { device, serve, run, sent, start } = await scripted();
    await start();
    serve.by = offering(message);
    device.shell('cloud poll');
    await run(seconds(10));
    expect(polls(sent())).toBe(2);
  });

  it.each([
    ['without the flag: no poll', ACK, 1],
    ['with the flag: a poll', ACK | POLL, 2],
  ])(
    'of a shell downlink is lost; the acknowledgement of the answer decides, %s',
    async (_, acknowledgement, expected) => {
      const { device, serve, run, sent, start } = await scripted();
      await start();
      serve.by = offering(SHELL, acknowledgement);
      device.shell('cloud poll');
      await run(seconds(10));
      expect(polls(sent())).toBe(expected);
    },
  );

  it('of a firmware downlink is lost', async () => {
    const { device, serve, run, sent, start } = await scripted();
    await start();
    const chunk = { target: 'app', type: 'chunk', updateId: new Uint8Array(16), offset: 0, size: 100 };
    serve.by = offering({ kind: 'download-firmware', ...chunk, data: new Uint8Array(50) } as DownMessage);
    device.shell('cloud poll');
    await run(seconds(10));
    expect(polls(sent())).toBe(1);
  });

  it('of a config downlink is lost in the reboot', async () => {
    const { device, serve, run, sent, start, of } = await scripted();
    await start();
    serve.by = offering({ kind: 'download-config', lines: ['app config interval-sample 77'] });
    device.shell('cloud poll');
    await run(seconds(4));
    expect(of('device.boot')).toHaveLength(2);
    expect(polls(sent())).toBe(1);
  });

  it('of a downlink whose processing fails is lost: the next poll is the retry after 5 min', async () => {
    const { device, serve, run, sent, start } = await scripted();
    await start();
    serve.by = offering({ kind: 'download-config', lines: ['nonsense'] });
    device.shell('cloud poll');
    await run(minutes(4));
    expect(polls(sent())).toBe(1);
    await run(minutes(2));
    expect(polls(sent())).toBe(1);
  });

  it('of a downlink of an unknown type is followed, and the poll is successful', async () => {
    const { device, serve, run, sent, start, of } = await scripted();
    await start();
    let offered = false;
    serve.by = (packet) => {
      if (!(packet.flags & POLL) || offered) return IDLE_SERVER(packet);
      offered = true;
      return { flags: FIRST | LAST | POLL, data: new Uint8Array([0x99, 1, 2]) };
    };
    device.shell('cloud poll');
    await run(seconds(10));
    expect(polls(sent())).toBe(2);
    expect(of('poll.failed')).toEqual([]);
  });

  it.each([
    ['first', FIRST, 0],
    ['last', LAST, 1],
  ])(
    'of an acknowledgement counts only for the last fragment of a report; here the %s fragment gets it',
    async (_, flagged, expected) => {
      const { device, serve, run, sent, start } = await scripted();
      await start();
      await run(minutes(40));
      const flags: number[] = [];
      serve.by = (packet) => {
        if (packet.data.length === 0) return IDLE_SERVER(packet);
        flags.push(packet.flags);
        return { flags: packet.flags & flagged ? ACK | POLL : ACK, data: NOTHING };
      };
      report(device);
      await run(seconds(10));
      expect([flags[0], flags.at(-1)]).toEqual([FIRST, LAST]);
      expect(polls(sent())).toBe(expected);
    },
  );
});
