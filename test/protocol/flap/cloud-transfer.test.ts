/**
 * The cloud's side, packet by packet: sequence numbers, repetitions and losses (wire W-24 to W-34).
 *
 * Cases about envelopes are in envelope.test.ts, those about downlinks in cloud-downlinks.test.ts, and those about rejected
 * packets and messages in cloud-refusals.test.ts. An unknown serial number, expiry and queues belong to the gateway and the
 * core.
 *
 * Flags: F first, L last, A acknowledgement, P poll, x not set.
 */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { successor } from '../../../src/protocol/flap/packet.js';
import { fixture } from './cloud-fixture.js';
import { message, packet, show } from './notation.js';

describe('a published scenario, from any sequence number', () => {
  it.each([0, 7, 40, 4093])('A: single-fragment uplink, nothing waiting, from %d', (n) => {
    const { cloud, hear } = fixture({ expecting: n === 0 ? 2 : n });
    expect(hear('FLxx', n, message(5))).toBe(`xxAx ${n + 1}`);
    expect(cloud.stored).toEqual([message(5)]);
    expect(hear('FLxx', n + 2, message(6))).toBe(show(packet('xxAx', successor(n + 2))));
  });
});

describe('lost uplink ack', () => {
  it('the same datagram again, twice: silence, then the stored answer; the message is stored once', () => {
    const { cloud, hear } = fixture({ queue: [message(9)] });
    expect(hear('FLxx', 0, message(5))).toBe('xxAP 1');
    // The queue is empty by now, yet the stored answer is given as it was.
    cloud.queue.length = 0;
    expect(hear('FLxx', 0, message(5))).toBe('silence');
    expect(hear('FLxx', 0, message(5))).toBe('xxAP 1');
    expect(cloud.stored).toHaveLength(1);
  });

  it('of a middle fragment: its data counts once', () => {
    const { cloud, hear } = fixture();
    hear('Fxxx', 0, message(360));
    expect(hear('xxxx', 2, message(360, 1))).toBe('xxAx 3');
    hear('xxxx', 2, message(360, 1));
    expect(hear('xxxx', 2, message(360, 1))).toBe('xxAx 3');
    hear('xLxx', 4, message(10));
    expect(cloud.stored[0]).toHaveLength(730);
  });

  it('a repeated poll is answered with the same fragment, not with the next downlink', () => {
    const { hear } = fixture({ queue: [message(500), message(9)] });
    expect(hear('xxxP', 0)).toBe('Fxxx 1 +360');
    hear('xxxP', 0);
    expect(hear('xxxP', 0)).toBe('Fxxx 1 +360');
    expect(hear('xxAx', 2)).toBe('xLxP 3 +140');
  });
});

describe('network duplicate', () => {
  it('one extra copy: no answer, no change of state', () => {
    const { cloud, hear } = fixture();
    hear('Fxxx', 0, message(360));
    expect(hear('Fxxx', 0, message(360))).toBe('silence');
    expect(hear('xLxx', 2, message(5))).toBe('xxAx 3');
    expect(cloud.stored.map((stored) => stored.length)).toEqual([365]);
  });
});

describe('fourth repetition', () => {
  it('the same datagram four times more: answers on the 2nd and 4th', () => {
    const { hear } = fixture();
    hear('FLxx', 0, message(5));
    const repetitions = Array.from({ length: 4 }, () => hear('FLxx', 0, message(5)));
    expect(repetitions).toEqual(['silence', 'xxAx 1', 'silence', 'xxAx 1']);
  });
});

describe('long repetition', () => {
  it('the same datagram more than 60 s after the first: reset, and the message from sequence 0 is accepted', () => {
    const { cloud, hear } = fixture({ expecting: 7 });
    hear('FLxx', 7, message(5));
    cloud.now = seconds(60);
    expect(hear('FLxx', 7, message(5))).toBe('silence');
    cloud.now = seconds(60) + 1;
    expect(hear('FLxx', 7, message(5))).toBe('reset');
    expect(hear('FLxx', 0, message(5))).toBe('xxAx 1');
    expect(cloud.stored).toHaveLength(2);
  });

  it('the restarted message, byte-identical because it began at 0, is not taken for a repetition', () => {
    const { cloud, hear } = fixture();
    hear('FLxx', 0, message(5));
    cloud.now = minutes(2);
    expect(hear('FLxx', 0, message(5))).toBe('reset');
    expect(hear('FLxx', 0, message(5))).toBe('xxAx 1');
  });

  it('of an ignored packet: reset after 60 s too', () => {
    const { cloud, hear } = fixture({ expecting: 40 });
    expect(hear('FLxx', 7, message(5))).toBe('silence');
    cloud.now = seconds(60);
    expect(hear('FLxx', 7, message(5))).toBe('silence');
    cloud.now = seconds(61);
    expect(hear('FLxx', 7, message(5))).toBe('reset');
  });

  it('does not count from a packet that was ignored long ago if other packets were accepted since', () => {
    const { cloud, hear } = fixture({ expecting: 40 });
    expect(hear('xxxP', 2)).toBe('silence');
    hear('FLxx', 40, message(5));
    // After a boot, the numbering of the device reaches the same packet again.
    cloud.now = minutes(120);
    hear('FLxx', 0, message(5));
    expect(hear('xxxP', 2)).toBe('FLxx 3');
  });
});

describe('repeated final ACK', () => {
  it('the ack of a last fragment twice: silence both times', () => {
    const { cloud, hear } = fixture({ queue: [message(9)] });
    hear('xxxP', 0);
    expect(hear('xxAx', 2)).toBe('silence');
    expect(hear('xxAx', 2)).toBe('silence');
    expect(hear('xxAx', 2)).toBe('silence');
    expect(cloud.delivered).toEqual([{ message: message(9), evidence: 'final-ack' }]);
  });
});

describe('lost final ACK', () => {
  it('next uplink: downlink FL at N+1 sent, next packet is F at N+3: delivered, uplink acked with N+4', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
    expect(hear('xxxP', 7)).toBe('FLxx 8 +9');
    expect(hear('FLxx', 10, message(5))).toBe('xxAx 11');
    expect(cloud.delivered).toEqual([{ message: message(9), evidence: 'next-packet' }]);
    expect(cloud.stored).toHaveLength(1);
  });

  it('next poll: P at N+3: delivered, and the poll is answered', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9), message(8)] });
    expect(hear('xxxP', 7)).toBe('FLxP 8 +9');
    expect(hear('xxxP', 10)).toBe('FLxx 11 +8');
    expect(cloud.delivered).toEqual([{ message: message(9), evidence: 'next-packet' }]);
  });

  it('device rebooted: downlink completely sent, next packet sequence 0: delivered, and a new exchange', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
    hear('xxxP', 7);
    expect(hear('FLxx', 0, message(5))).toBe('xxAx 1');
    expect(cloud.delivered).toEqual([{ message: message(9), evidence: 'sequence-zero' }]);
    expect(cloud.stored).toHaveLength(1);
  });

  it('the packet after it must be a first fragment or a poll: anything else at N+3 is ahead', () => {
    for (const [flags, data] of [['xxAx'], ['xxxx', message(5)], ['xLxx', message(5)]] as const) {
      const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
      hear('xxxP', 7);
      expect(hear(flags, 10, data)).toBe('reset');
      expect(cloud.delivered).toEqual([]);
    }
  });

  it('of a downlink that is not completely sent proves nothing: reset', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(500)] });
    expect(hear('xxxP', 7)).toBe('Fxxx 8 +360');
    expect(hear('xxxP', 10)).toBe('reset');
    expect(cloud.delivered).toEqual([]);
  });
});

describe('downlink half sent, device rebooted', () => {
  it('next packet sequence 0: still pending, offered from its first fragment on the next poll', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(900)] });
    hear('xxxP', 7);
    expect(hear('xxAx', 9)).toBe('xxxx 10 +360');
    expect(hear('FLxx', 0, message(5))).toBe('xxAP 1');
    expect(cloud.delivered).toEqual([]);
    expect(hear('xxxP', 2)).toBe('Fxxx 3 +360');
  });
});

describe('sequence ahead', () => {
  it('expects 7, gets 40 with F: reset; the whole message from sequence 0 is accepted', () => {
    const { cloud, hear } = fixture({ expecting: 7 });
    expect(hear('Fxxx', 40, message(360))).toBe('reset');
    expect(hear('Fxxx', 0, message(360))).toBe('xxAx 1');
    expect(hear('xLxx', 2, message(5))).toBe('xxAx 3');
    expect(cloud.stored).toHaveLength(1);
  });

  it('a reset that is lost is sent again for every packet that comes instead of sequence 0', () => {
    const { hear } = fixture({ expecting: 7 });
    expect([hear('Fxxx', 40, message(5)), hear('Fxxx', 40, message(5)), hear('xxxP', 8)]).toEqual([
      'reset',
      'reset',
      'reset',
    ]);
  });

  it('after a reset the number that was expected before is not accepted either', () => {
    const { hear } = fixture({ expecting: 7 });
    hear('FLxx', 40, message(5));
    expect(hear('FLxx', 7, message(5))).toBe('reset');
  });

  it('a reset drops the unfinished uplink, and keeps the downlink for the packet with sequence 0 to decide', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
    hear('xxxP', 7);
    expect(hear('FLxx', 40, message(5))).toBe('reset');
    expect(cloud.offering).toBe(true);
    hear('xxxP', 0);
    expect(cloud.delivered).toEqual([{ message: message(9), evidence: 'sequence-zero' }]);
  });
});

describe('sequence behind', () => {
  it('expects 40, gets 7, not the last packet: silence, and nothing changes', () => {
    const { cloud, hear } = fixture({ expecting: 40 });
    expect(hear('FLxx', 7, message(5))).toBe('silence');
    expect(hear('FLxx', 40, message(5))).toBe('xxAx 41');
    expect(cloud.stored).toHaveLength(1);
  });

  it('the last packet’s number with other data is behind, not a repetition', () => {
    const { hear } = fixture({ expecting: 40 });
    hear('FLxx', 40, message(5));
    expect([hear('FLxx', 40, message(6)), hear('FLxx', 40, message(6))]).toEqual(['silence', 'silence']);
  });
});

describe('server restarted', () => {
  it.each([
    ['FLxx', message(5)],
    ['xxxx', message(5)],
    ['xxxP', undefined],
    ['xxAx', undefined],
    ['xxAP', undefined],
  ])('mid-stream packet %s, no state: reset', (flags, data) => {
    const { cloud, hear } = fixture();
    expect(hear(flags, 7, data)).toBe('reset');
    expect(cloud.stored).toEqual([]);
  });
});

it('the cloud expects the number after its answer, and no number after a reset', () => {
  const { cloud, hear } = fixture();
  expect(cloud.expected).toBeUndefined();
  expect([hear('FLxx', 0, message(5)), cloud.expected]).toEqual(['xxAx 1', 2]);
  expect([hear('xxxP', 2), cloud.expected]).toEqual(['FLxx 3', 4]);
  expect([hear('xxxP', 40), cloud.expected]).toEqual(['reset', undefined]);
});

describe('sequence 0 in mid-message', () => {
  it('fragments 0, 2 received, then F at sequence 0: old fragments discarded, new message assembled', () => {
    const { cloud, hear } = fixture();
    hear('Fxxx', 0, message(360));
    hear('xxxx', 2, message(360));
    expect(hear('Fxxx', 0, message(360, 9))).toBe('xxAx 1');
    expect(hear('xLxx', 2, message(5, 8))).toBe('xxAx 3');
    expect(cloud.stored).toEqual([Uint8Array.from([...message(360, 9), ...message(5, 8)])]);
  });

  it('a poll at sequence 0 discards the old fragments too', () => {
    const { cloud, hear } = fixture();
    hear('Fxxx', 0, message(360));
    expect(hear('xxxP', 0)).toBe('FLxx 1');
    expect(hear('xLxx', 2, message(5))).toBe('silence');
    expect(cloud.stored).toEqual([]);
  });

  it.each([
    ['xxxx', message(5)],
    ['xLxx', message(5)],
    ['xxAx', undefined],
  ])('%s at sequence 0 is ignored', (flags, data) => {
    const { hear } = fixture({ expecting: 40 });
    expect(hear(flags, 0, data)).toBe('silence');
    expect(hear('xxxP', 40)).toBe('FLxx 41');
  });
});

describe('wrap of the sequence number', () => {
  it('device 4095, server 1, device 2: accepted', () => {
    const { hear } = fixture({ expecting: 4095 });
    expect(hear('FLxx', 4095, message(5))).toBe('xxAx 1');
    expect(hear('FLxx', 2, message(6))).toBe('xxAx 3');
  });

  it('device 4094, server 4095, device 1: accepted', () => {
    const { hear } = fixture({ expecting: 4094 });
    expect(hear('xxxP', 4094)).toBe('FLxx 4095');
    expect(hear('xxxP', 1)).toBe('FLxx 2');
  });

  it('a lost final ACK at the wrap: 4094, 4095, then 2', () => {
    const { cloud, hear } = fixture({ expecting: 4094, queue: [message(9)] });
    hear('xxxP', 4094);
    expect(hear('xxxP', 2)).toBe('FLxx 3');
    expect(cloud.delivered).toHaveLength(1);
  });
});

it('a transfer remembers a copy of the packet, not the buffer of the datagram', () => {
  const { cloud, hear } = fixture();
  const datagram = message(5);
  cloud.receive(packet('FLxx', 0, datagram));
  datagram.fill(0xff);
  expect(hear('FLxx', 0, message(5))).toBe('silence');
  expect(hear('FLxx', 0, message(5))).toBe('xxAx 1');
});
