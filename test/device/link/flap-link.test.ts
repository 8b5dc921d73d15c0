/** The link's timing: repetition, budgets, stale answers (wire W-19 to W-23). */
import { describe, expect, it } from 'vitest';
import { DeviceConfig } from '../../../src/device/config/device-config.js';
import { configLayout } from '../../../src/device/config/layout.js';
import { POLICIES } from '../../../src/device/family/index.js';
import type { PollOutcome, UplinkOutcome } from '../../../src/device/link/link.js';
import type { DatagramPort, RadioLink } from '../../../src/device/link/radio-link.js';
import { openLink } from '../../../src/device/link/resending-link.js';
import { Modem } from '../../../src/device/modem/modem.js';
import type { ModemBoard } from '../../../src/device/modem/state.js';
import { NoiseStream } from '../../../src/kernel/random.js';
import { type Millis, minutes, seconds } from '../../../src/kernel/time.js';
import { VirtualClock } from '../../../src/kernel/virtual-clock.js';
import { datagramBytes } from '../../../src/protocol/flap/envelope.js';
import { ACK, FIRST, LAST, NOTHING, type Packet, POLL, RESET } from '../../../src/protocol/flap/packet.js';
import { SERIAL, TOKEN } from '../../support/cloud.js';
import { datagramOf, packetIn, testBoard } from '../../support/device.js';

const OTHER_TOKEN = 'ffffffffffffffffffffffffffffffff';

/** A link whose modem is attached; `answer` decides what the cloud does with the n-th datagram (from 0). */
async function testLink(
  answer: (packet: Packet, n: number) => readonly Uint8Array[] = () => [],
  board: Partial<ModemBoard> = {},
) {
  const clock = new VirtualClock();
  const modem = new Modem(
    testBoard(clock, { socketOpened: () => link.socketOpened(), ...board }),
    new NoiseStream(1),
    1,
  );
  const sent: { readonly at: number; readonly datagram: Uint8Array; readonly packet: Packet }[] = [];
  const observed: string[] = [];
  const port: DatagramPort = {
    send: (datagram) => {
      const packet = packetIn(datagram);
      const answers = answer(packet, sent.length);
      sent.push({ at: clock.now, datagram: datagramBytes(datagram), packet });
      for (const [i, bytes] of answers.entries()) clock.after(10 + i, 'answer', () => link.receive(bytes));
    },
    reopen: () => {},
  };
  const device = {
    clock,
    modem,
    policy: POLICIES.chester,
    config: new DeviceConfig(configLayout([])),
    port,
    observer: {
      woke: () => observed.push('woke'),
      repeated: (waited: Millis) => observed.push(`repeated after ${waited}`),
      restarted: (why: string) => observed.push(`restarted: ${why}`),
      offeredAgain: () => observed.push('offered again'),
      overran: (bytes: number, read: number) => observed.push(`overran ${bytes} ${read}`),
    },
    serial: SERIAL,
    token: TOKEN,
    bufferSize: 16_384,
  };
  const link: RadioLink = openLink(device, 'base64');
  modem.start();
  await clock.runUntil(minutes(2));
  const outcomes: (UplinkOutcome | PollOutcome)[] = [];
  return {
    clock,
    modem,
    link,
    sent,
    observed,
    outcomes,
    send: (message: Uint8Array, budget = Number.POSITIVE_INFINITY) =>
      link.uplink(
        message,
        budget,
        () => observed.push('started'),
        (outcome) => outcomes.push(outcome),
      ),
    poll: () => link.poll(seconds(60), (outcome) => outcomes.push(outcome)),
  };
}

const acknowledge = (packet: Packet): Uint8Array =>
  datagramOf({ flags: ACK, sequence: packet.sequence + 1, data: NOTHING });
const message = Uint8Array.of(6, 1, 2, 3);

describe('without an answer', () => {
  it('the byte-identical datagram is repeated after 5 s of listening and 5 s of pause', async () => {
    const { clock, sent, send } = await testLink();
    send(message);
    await clock.runUntil(minutes(3));
    expect(sent.length).toBeGreaterThan(4);
    for (const [i, { at, datagram }] of sent.entries()) {
      if (i === 0) continue;
      expect(Buffer.compare(datagram, sent[0]?.datagram ?? NOTHING)).toBe(0);
      expect(at - (sent[i - 1]?.at ?? 0)).toBe(10_000);
    }
  });

  it('an uplink without a budget is repeated without limit', async () => {
    const { clock, outcomes, sent, send } = await testLink();
    send(message);
    await clock.runUntil(minutes(600));
    expect(outcomes).toEqual([]);
    expect(sent.length).toBeGreaterThan(2900);
  });

  it('a poll is given up after its budget of 60 s', async () => {
    const { clock, outcomes, sent, poll } = await testLink();
    poll();
    await clock.runUntil(minutes(5));
    expect(outcomes).toEqual([{ ok: false, why: 'no answer in time' }]);
    expect(sent.length).toBeGreaterThanOrEqual(5);
    expect(sent.length).toBeLessThanOrEqual(7);
  });

  it('the next exchange begins with sequence 0', async () => {
    const { clock, sent, send, poll } = await testLink((packet, n) => (n === 0 ? [acknowledge(packet)] : []));
    send(message);
    await clock.runUntil(minutes(3));
    send(message, seconds(30));
    await clock.runUntil(minutes(5));
    poll();
    await clock.runUntil(minutes(6));
    expect(sent[1]?.packet.sequence).toBe(2);
    expect(sent.at(-1)?.packet).toMatchObject({ flags: POLL, sequence: 0 });
  });
});

describe('an answer', () => {
  it('in time ends the exchange, and reports whether a downlink is waiting', async () => {
    const { clock, outcomes, send } = await testLink((packet) => [
      datagramOf({ flags: ACK | POLL, sequence: packet.sequence + 1, data: NOTHING }),
    ]);
    send(message);
    await clock.runUntil(minutes(3));
    expect(outcomes).toEqual([{ ok: true, poll: true }]);
  });

  it.each([
    [
      'has a wrong tag',
      datagramOf({ flags: ACK, sequence: 1, data: NOTHING }, SERIAL, OTHER_TOKEN),
      'unreadable answer',
    ],
    ['is not base64', Buffer.from('no!'), 'unreadable answer'],
    [
      'is for another serial number',
      datagramOf({ flags: ACK, sequence: 1, data: NOTHING }, SERIAL + 1),
      'answer for another device',
    ],
    [
      'has the flag F',
      datagramOf({ flags: FIRST, sequence: 1, data: NOTHING }),
      'fragment in place of an acknowledgement',
    ],
  ])('that %s ends the transfer with an error', async (_, datagram, why) => {
    const { clock, outcomes, send } = await testLink(() => [datagram]);
    send(message);
    await clock.runUntil(minutes(3));
    expect(outcomes).toEqual([{ ok: false, why }]);
  });

  it.each([0, ACK])('with sequence 0 and flags %i restarts the message from sequence 0', async (flags) => {
    const { clock, outcomes, sent, observed, send } = await testLink((packet, n) =>
      n === 0 ? [datagramOf({ ...RESET, flags })] : [acknowledge(packet)],
    );
    send(message);
    await clock.runUntil(minutes(3));
    expect(sent.map(({ packet }) => packet.sequence)).toEqual([0, 0]);
    expect(observed).toContain('restarted: reset by the cloud');
    expect(outcomes).toEqual([{ ok: true, poll: false }]);
  });

  it('that is outdated and arrives before the right answer does not break the sequence numbers permanently', async () => {
    let expected = 0;
    const { clock, outcomes, sent, send } = await testLink((packet, n) => {
      if (packet.sequence === 0) expected = 0;
      const right = packet.sequence === expected ? [acknowledge(packet)] : [datagramOf(RESET)];
      expected = packet.sequence === expected ? packet.sequence + 2 : 0;
      return n === 1 ? [datagramOf({ flags: ACK, sequence: 1, data: NOTHING }), ...right] : right;
    });
    send(message);
    await clock.runUntil(minutes(3));
    send(message);
    await clock.runUntil(minutes(10));
    expect(outcomes).toEqual([
      { ok: true, poll: false },
      { ok: true, poll: false },
    ]);
    expect(sent.length).toBeGreaterThan(2);
  });

  it('that arrives while the modem does not listen waits in the socket and is read next', async () => {
    const { clock, outcomes, link, send, sent } = await testLink();
    send(message);
    await clock.runUntil(minutes(2) + seconds(11));
    // The link is now in the pause between two copies.
    const before = sent.length;
    link.receive(datagramOf({ flags: ACK, sequence: 1, data: NOTHING }));
    expect(outcomes).toEqual([]);
    await clock.runUntil(minutes(2) + seconds(25));
    expect(outcomes).toEqual([{ ok: true, poll: false }]);
    expect(sent.length).toBe(before + 1);
  });
});

describe('a downlink', () => {
  it('is acknowledged fragment by fragment; the last acknowledgement is sent once and needs no answer', async () => {
    const parts = ['abc', 'def', 'ghi'].map((text) => Buffer.from(text));
    const { clock, outcomes, sent, poll } = await testLink((packet, n) => {
      const part = parts[n];
      const flags = (n === 0 ? FIRST : 0) | (n === parts.length - 1 ? LAST | POLL : 0);
      return part ? [datagramOf({ flags, sequence: packet.sequence + 1, data: part })] : [];
    });
    poll();
    await clock.runUntil(minutes(4));
    expect(sent.map(({ packet }) => [packet.flags, packet.sequence])).toEqual([
      [POLL, 0],
      [ACK, 2],
      [ACK, 4],
      [ACK, 6],
    ]);
    expect(outcomes).toMatchObject([{ ok: true, more: true }]);
    expect(outcomes.map((outcome) => 'message' in outcome && Buffer.from(outcome.message).toString())).toEqual([
      'abcdefghi',
    ]);
  });

  it('with a fragment that has the flag A ends the transfer with an error', async () => {
    const { clock, outcomes, poll } = await testLink((packet) => [
      datagramOf({ flags: FIRST | LAST | ACK, sequence: packet.sequence + 1, data: NOTHING }),
    ]);
    poll();
    await clock.runUntil(minutes(4));
    expect(outcomes).toEqual([{ ok: false, why: 'acknowledgement in place of a fragment' }]);
  });

  it('is an empty message if none is queued, and is not acknowledged', async () => {
    const { clock, outcomes, sent, poll } = await testLink((packet) => [
      datagramOf({ flags: FIRST | LAST, sequence: packet.sequence + 1, data: NOTHING }),
    ]);
    poll();
    await clock.runUntil(minutes(4));
    expect(outcomes).toMatchObject([{ ok: true, more: false, message: { length: 0 } }]);
    expect(sent).toHaveLength(1);
  });
});

describe('a new socket', () => {
  it('does not contain the datagrams of the previous socket', async () => {
    const { clock, modem, link, outcomes, send } = await testLink((packet) => [acknowledge(packet)]);
    link.receive(datagramOf({ flags: ACK, sequence: 1, data: NOTHING }, SERIAL, OTHER_TOKEN));
    modem.suffer('lost-socket');
    send(message);
    await clock.runUntil(minutes(4));
    expect(outcomes).toEqual([{ ok: true, poll: false }]);
  });
});

describe('the radio', () => {
  it('is woken once for exchanges that follow each other, and sleeps when the link is at rest', async () => {
    const { clock, modem, link, observed, send } = await testLink((packet) => [acknowledge(packet)]);
    link.rest();
    send(message);
    await clock.runUntil(minutes(3));
    send(message);
    await clock.runUntil(minutes(4));
    expect(observed.filter((entry) => entry === 'woke')).toHaveLength(1);
    link.rest();
    await clock.runUntil(minutes(5));
    expect(modem.state).toBe('sleep');
  });

  it('without coverage fails a send with a budget, and continues to attach', async () => {
    const { clock, modem, outcomes, send } = await testLink((packet) => [acknowledge(packet)]);
    modem.setCoverage(false);
    send(message, seconds(120));
    await clock.runUntil(minutes(5));
    expect(outcomes).toEqual([{ ok: false, why: 'modem stuck' }]);
    expect(modem.registered).toBe(false);
    modem.setCoverage(true);
    await clock.runUntil(minutes(10));
    expect(modem.registered).toBe(true);
  });
});
