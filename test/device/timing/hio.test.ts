/** The rules of hio devices that differ from those of CHESTER (timing T-10, T-18, T-33, T-38, T-44, T-58, T-59). */
import { describe, expect, it } from 'vitest';
import { Bootloader } from '../../../src/device/hardware/bootloader.js';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { ACK, FIRST, LAST, NOTHING, type Packet, POLL } from '../../../src/protocol/flap/packet.js';
import { encodeDown } from '../../../src/protocol/messages/index.js';
import { expectTimes, measured, path, report, type Server, scripted, unplugged, windows } from './measured.js';

const HIO = { profile: 'hio-node' } as const;

const DECODER = 3;
const SHELL = 7;
const FIRMWARE = 8;

/** The type of the message in each packet with data; CREATE_SESSION is 0. */
const types = (packets: readonly Packet[]) => packets.filter(({ data }) => data.length > 0).map(({ data }) => data[0]);

describe('a datagram without an answer', () => {
  it('is sent again after 5 s of listening, 5 s of the error state and a radio connection, without limit', async () => {
    const { device, network, until, sent, zero } = await measured(HIO);
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(seconds(80));
    expectTimes(
      sent().map(({ at }) => at),
      [0.3, 10.6, 20.9, 31.2, 41.5, 51.8, 62.1, 72.4],
    );
    expect(new Set(sent().map(({ packet }) => packet.sequence)).size).toBe(1);
  });

  it('goes to the next address after three failures: the message begins again with sequence 0', async () => {
    const opened: (number | undefined)[] = [];
    const config = ['cloud config addr2 192.0.2.2', 'cloud config addr3 192.0.2.3'];
    const { device, network, until, sent, zero } = await measured({
      ...HIO,
      config,
      reopen: (server) => opened.push(server),
    });
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(seconds(25));
    expect(device.shell('cloud state').lines).toContain('consecutive failures: 2');
    await until(seconds(33));
    expect(opened).toEqual([1, 2]);
    expect(sent().map(({ packet }) => packet.sequence)).toEqual([...Array(3).fill(sent()[0]?.packet.sequence), 0]);
    expect(device.shell('cloud state').lines).toEqual(
      expect.arrayContaining(['active addr: 192.0.2.2', 'active idx: 1', 'failover count: 1']),
    );
    await until(seconds(95));
    expect(opened).toEqual([1, 2, 3, 1]);
  });

  it('stays at its address with "cloud config failover 0"', async () => {
    const config = ['cloud config addr2 192.0.2.2', 'cloud config failover 0'];
    const { device, network, until, zero } = await measured({ ...HIO, config });
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(minutes(5));
    expect(device.shell('cloud state').lines).toContain('failover count: 0');
  });
});

it('after stale answers, a hio device sends the identical packet three times more, then the message from sequence 0', async () => {
  const { device, serve, start, run, sent } = await scripted(HIO);
  await start();
  const stale: Server = () => ({ flags: ACK, data: NOTHING, sequence: last });
  // The number of the last acknowledgement, which answered the first report.
  let last = 0;
  serve.by = (packet) => {
    last = packet.sequence + 1;
    return { flags: ACK, data: NOTHING };
  };
  report(device);
  await run(seconds(20));
  sent();
  serve.by = stale;
  report(device);
  await run(seconds(6));
  expect(
    sent()
      .map(({ sequence }) => sequence - last)
      .slice(0, 5),
  ).toEqual([1, 1, 1, 1, -last]);
});

describe('a poll', () => {
  it('that fails is not tried again after 5 min', async () => {
    const { device, serve, start, run, sent } = await scripted(HIO);
    await start();
    serve.by = () => ({ flags: ACK, data: NOTHING });
    device.shell('cloud poll');
    await run(minutes(20));
    expect(sent().filter(({ flags }) => flags === POLL)).toHaveLength(1);
  });
});

describe('the session phase', () => {
  it('repeats a failed upload without a new session', async () => {
    const { device, serve, session, run, sent } = await scripted(HIO);
    let refused = 0;
    serve.by = (packet) => {
      // A fragment in place of an acknowledgement ends the step.
      if (packet.data[0] === DECODER && refused++ < 2) return { flags: FIRST | LAST, data: NOTHING };
      return session(packet);
    };
    device.powerOn();
    await run(seconds(60));
    expect(types(sent()).slice(0, 5)).toEqual([0, DECODER, DECODER, DECODER, 4]);
  });

  it('reports an update before the uploads, at every boot until the report is delivered', async () => {
    const { device, serve, session, run, sent } = await scripted(HIO);
    const bootloader = new Bootloader(device.build);
    bootloader.updateId = new Uint8Array(16);
    device.bootloader = bootloader;
    serve.by = (packet) => (packet.data[0] === FIRMWARE ? { flags: FIRST, data: NOTHING } : session(packet));
    device.powerOn();
    await run(seconds(60));
    expect(types(sent()).slice(0, 3)).toEqual([0, FIRMWARE, DECODER]);
    serve.by = session;
    device.reboot('power');
    await run(seconds(60));
    expect(types(sent()).slice(0, 3)).toEqual([0, FIRMWARE, DECODER]);
    device.reboot('power');
    await run(seconds(60));
    expect(types(sent()).slice(0, 2)).toEqual([0, DECODER]);
  });

  it('fetches a downlink within the step whose acknowledgement has the poll flag', async () => {
    const { device, serve, session, run, sent, of } = await scripted(HIO);
    const shell = encodeDown({ kind: 'download-shell', messageId: new Uint8Array(16), commands: ['info fw-name'] });
    let polls = 0;
    serve.by = (packet) => {
      if (packet.data[0] === DECODER) return { flags: ACK | POLL, data: NOTHING };
      if (packet.flags & POLL && ++polls === 2) return { flags: FIRST | LAST, data: shell };
      return session(packet);
    };
    device.powerOn();
    await run(seconds(60));
    expect(types(sent()).slice(0, 4)).toEqual([0, DECODER, SHELL, 4]);
    expect(of('device.ready')).toHaveLength(1);
  });
});

describe('the radio', () => {
  it('finds a lost registration only when 120 s of sending are over; the sender then waits for 30 s', async () => {
    const { device, phases, until, times } = await unplugged(HIO);
    report(device);
    const seen = await phases(seconds(140));
    expect(seen.map(({ state }) => state)).toEqual(['send', 'error', 'attach']);
    expectTimes([seen[0]?.lasted ?? 0, seen[1]?.lasted ?? 0], [120, 10]);
    device.radio(true);
    await until(seconds(200));
    expectTimes(times('uplink.acked'), [151]);
  });

  it('sends at once when the network returns while the first send is blocked', async () => {
    const { device, until, sent, zero } = await measured(HIO);
    zero();
    device.radio(false);
    await until(seconds(10));
    report(device);
    await until(seconds(22.9));
    expect(sent()).toEqual([]);
    device.radio(true);
    await until(seconds(40));
    // Measured 23.2 s: a radio connection takes 0.3 s.
    expect(Math.abs((sent()[0]?.at ?? 0) / 1000 - 23.2)).toBeLessThanOrEqual(0.15);
  });

  it('needs a new radio connection after a change of the address', async () => {
    const config = ['cloud config addr2 192.0.2.2', 'cloud config failover 1'];
    const { device, network, until, sent, zero, times } = await measured({
      ...HIO,
      config,
      modem: { connect: [2000, 2000] },
    });
    zero();
    network.up = false;
    device.shell('cloud poll');
    await until(seconds(20));
    const [change = 0] = times('device.restart');
    // The error state lasts 5 s, then the socket is opened and evaluated.
    expect(Math.round(((sent()[1]?.at ?? 0) - change) / 100) / 10).toBe(7);
  });

  it('does not reset the back-off when a socket is opened', async () => {
    const { device, phases, run, zero } = await measured(HIO);
    device.modem.suffer('error');
    await run(seconds(60));
    zero();
    device.modem.suffer('error');
    const seen = await phases(seconds(120));
    expect(seen[0]).toMatchObject({ state: 'error', lasted: seconds(20) });
  });

  it('stays in flight mode between two attach windows, without a boot', async () => {
    const { device, phases } = await unplugged(HIO);
    device.modem.suffer('error');
    // The modem is off for 10 s. Then come windows of 5, 5 and 50 min with 5 s between them, and a pause of an hour.
    const seen = await phases(minutes(130));
    expectTimes(windows(seen), [10, 310, 315, 615, 620, 3620, 7225, 7525, 7530, 7800]);
    expect(path(seen)[0]).toBe('error');
  });
});

describe('a configuration from the cloud', () => {
  const downlink = (lines: readonly string[]): Server => {
    let sent = false;
    return ({ flags }) => {
      if (!(flags & POLL)) return undefined;
      if (sent) return { flags: FIRST | LAST, data: NOTHING };
      sent = true;
      return { flags: FIRST | LAST, data: encodeDown({ kind: 'download-config', lines }) };
    };
  };

  it('is applied without the shell, saved after 1 s, and in force half a second later', async () => {
    const { device, serve, start, run, of } = await scripted(HIO);
    await start();
    serve.by = downlink(['app config interval-report 600', '', 'lte config apn "iot name"']);
    device.shell('cloud poll');
    await run(seconds(5));
    const [received] = of('downlink.received').slice(-1);
    const [boot] = of('device.boot').slice(-1);
    expect((boot?.at ?? 0) - (received?.at ?? 0)).toBe(1500);
    expect(device.shell('lte config apn').lines).toEqual(['lte config apn "iot name"']);
    expect(device.shell('app config interval-report').lines).toEqual(['app config interval-report 600']);
  });

  it.each(['info show', 'app config interval-report 1', 'app config missing 1', 'config save', 'app config mode'])(
    'stops at the line "%s" and is not saved',
    async (line) => {
      const { device, serve, start, run, of } = await scripted(HIO);
      await start();
      serve.by = downlink(['app config interval-poll 60', line, 'app config interval-aggreg 60']);
      device.shell('cloud poll');
      await run(minutes(10));
      expect(of('downlink.executed').at(-1)).toMatchObject({ type: 'config', ok: false });
      expect(of('device.boot')).toHaveLength(1);
      expect(device.config.flash.has('app/interval-poll')).toBe(false);
    },
  );
});

describe('the shell', () => {
  it('shows the progress of a firmware download, and "not available" without one', async () => {
    const { device, serve, start, run } = await scripted(HIO);
    await start();
    expect(device.shell('cloud firmware status').lines).toEqual([
      'firmware update active: no',
      'firmware id: not available',
      'target: not available',
      'type: not available',
      'downloaded: not available',
      'command succeeded',
    ]);
    const updateId = Uint8Array.from({ length: 16 }, (_, i) => i);
    const data = new Uint8Array(100);
    const chunk = {
      kind: 'download-firmware',
      target: 'app',
      type: 'chunk',
      updateId,
      offset: 0,
      data,
      size: 400,
    } as const;
    let sent = false;
    serve.by = (packet) => {
      if (!(packet.flags & POLL)) return packet.data.length > 0 ? { flags: ACK, data: NOTHING } : undefined;
      if (sent) return { flags: FIRST | LAST, data: NOTHING };
      sent = true;
      return { flags: FIRST | LAST, data: encodeDown(chunk) };
    };
    device.shell('cloud poll');
    await run(seconds(10));
    expect(device.shell('cloud firmware status').lines).toEqual([
      'firmware update active: yes',
      'firmware id: 00010203-0405-0607-0809-0a0b0c0d0e0f',
      'target: app',
      'type: chunk',
      'downloaded: 100/400 bytes (25%)',
      'command succeeded',
    ]);
  });

  it('returns −22 for an invalid value, and −12 for a text that is too long', async () => {
    const { device, start } = await scripted(HIO);
    await start();
    expect(device.shell('cloud config failover 256')).toMatchObject({ code: -22 });
    expect(device.shell(`lte config bands ${'1,'.repeat(30)}`)).toMatchObject({ code: -12 });
    expect(device.shell('cloud psk set 0g')).toMatchObject({ code: -22 });
    expect(device.shell('cloud psk set 00ff')).toMatchObject({ code: 0 });
  });

  it('writes several parameters up to the first one that rejects the value', async () => {
    const { device, start } = await scripted(HIO);
    await start();
    const { lines, code } = device.shell('cloud config * 7');
    expect([lines[0], code]).toEqual(['Invalid option', -22]);
    expect(device.shell('cloud config addr').lines).toEqual(['cloud config addr "157.245.24.13"']);
    expect(device.shell('cloud config a* 7')).toMatchObject({ lines: [], code: 0 });
    expect(device.shell('cloud config addr2').lines).toEqual(['cloud config addr2 "7"']);
  });
});

describe('the fragments in "cloud metrics"', () => {
  it('are the packets of all uplinks; one packet has up to 492 bytes of data', async () => {
    const { device, sent } = await measured(HIO);
    const packets = sent().filter(({ packet: { data } }) => data.length > 0);
    expect(Math.max(...packets.map(({ packet: { data } }) => data.length))).toBe(492);
    expect(device.firmware?.cloud.counters.uplinkFragments).toBe(packets.length);
  });
});
