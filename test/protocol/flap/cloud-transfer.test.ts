/**
 * The cloud's side, packet by packet: the server cases of wire protocol 16.6, then the rows of 6.2 that they leave out.
 *
 * Cases about envelopes are in envelope.test.ts; those about an unknown serial number, expiry and queues belong to the
 * gateway and the core.
 */
import { describe, expect, it } from 'vitest';
import { minutes, seconds } from '../../../src/kernel/time.js';
import { LONGEST_MESSAGE, successor } from '../../../src/protocol/flap/packet.js';
import { LittleCloud, type LittleCloudOptions } from '../../support/flap-cloud.js';
import { message, packet, show } from './notation.js';

interface Setting extends LittleCloudOptions {
  /** The number that the cloud expects next. Default: none, as after a start. */
  readonly expecting?: number;
  readonly queue?: readonly Uint8Array[];
}

/** A cloud, and `hear`, which returns its answer to a packet of the device. */
function fixture({ expecting, queue = [], ...options }: Setting = {}) {
  const cloud = new LittleCloud(options);
  const hear = (flags: string, sequence: number, data?: Uint8Array) =>
    show(cloud.receive(packet(flags, sequence, data)));
  if (expecting !== undefined) lead(cloud, expecting);
  cloud.queue.push(...queue);
  return { cloud, hear };
}

/** Exchanges packets until `expecting` is the next number: two a poll, three with a downlink. */
function lead(cloud: LittleCloud, expecting: number): void {
  if (expecting % 2 === 1) cloud.queue.push(message(1));
  let sequence = 0;
  while (sequence !== expecting) {
    const answer = cloud.receive(packet('xxxP', sequence));
    sequence = successor(answer?.sequence ?? 0);
    if (answer?.data.length) {
      cloud.receive(packet('xxAx', sequence));
      sequence = successor(sequence);
    }
  }
  cloud.delivered.length = 0;
}

describe('a published scenario, from any number', () => {
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

  it('does not begin with a packet that was ignored long ago, before others were accepted', () => {
    const { cloud, hear } = fixture({ expecting: 40 });
    expect(hear('xxxP', 2)).toBe('silence');
    hear('FLxx', 40, message(5));
    // The device boots, and its numbering comes by the same packet again.
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

describe('sequence 0 in mid-message', () => {
  it('fragments 0, 2 received, then F at sequence 0: old fragments discarded, new message assembled', () => {
    const { cloud, hear } = fixture();
    hear('Fxxx', 0, message(360));
    hear('xxxx', 2, message(360));
    expect(hear('Fxxx', 0, message(360, 9))).toBe('xxAx 1');
    expect(hear('xLxx', 2, message(5, 8))).toBe('xxAx 3');
    expect(cloud.stored).toEqual([Buffer.concat([message(360, 9), message(5, 8)])]);
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

describe('wrap', () => {
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

describe('poll on empty queue', () => {
  it('P at N: FLxx empty at N+1, next device packet N+2', () => {
    const { hear } = fixture({ expecting: 7 });
    expect(hear('xxxP', 7)).toBe('FLxx 8');
    expect(hear('xxxP', 9)).toBe('FLxx 10');
  });
});

describe('fragmented downlink 900 B (base64)', () => {
  it('P: 360 + 360 + 180 with F / none / L, two ACKs answered, third not', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(900)] });
    expect([hear('xxxP', 7), hear('xxAx', 9), hear('xxAx', 11), hear('xxAx', 13)]).toEqual([
      'Fxxx 8 +360',
      'xxxx 10 +360',
      'xLxx 12 +180',
      'silence',
    ]);
    expect(cloud.delivered).toHaveLength(1);
    expect(hear('xxxP', 14)).toBe('FLxx 15');
  });

  it('the fragments are the message', () => {
    const { cloud } = fixture({ queue: [message(900)] });
    const answers = [packet('xxxP', 0), packet('xxAx', 2), packet('xxAx', 4)].map((sent) => cloud.receive(sent));
    expect(Buffer.concat(answers.map((answer) => answer?.data ?? message(0)))).toEqual(Buffer.from(message(900)));
  });

  it('of exactly one or two fragments has no empty one at its end', () => {
    const one = fixture({ queue: [message(360)] });
    expect(one.hear('xxxP', 0)).toBe('FLxx 1 +360');
    const two = fixture({ queue: [message(720)] });
    expect([two.hear('xxxP', 0), two.hear('xxAx', 2), two.hear('xxAx', 4)]).toEqual([
      'Fxxx 1 +360',
      'xLxx 3 +360',
      'silence',
    ]);
  });
});

describe('fragment sizes per port', () => {
  it.each([494, 360, 300])('900 B downlink in fragments of %d B', (fragmentSize) => {
    const { hear } = fixture({ fragmentSize, queue: [message(900)] });
    expect(hear('xxxP', 0)).toBe(`Fxxx 1 +${fragmentSize}`);
  });
});

describe('two downlinks, `xxAP`', () => {
  it('poll, then AP after the last fragment: FLxP, then the second downlink in the same exchange', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9), message(8)] });
    expect([hear('xxxP', 7), hear('xxAP', 9), hear('xxAx', 11)]).toEqual(['FLxP 8 +9', 'FLxx 10 +8', 'silence']);
    expect(cloud.delivered.map(({ evidence }) => evidence)).toEqual(['final-ack', 'final-ack']);
  });

  it('AP with nothing waiting: FLxx without data', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
    hear('xxxP', 7);
    expect(hear('xxAP', 9)).toBe('FLxx 10');
    expect(cloud.delivered).toHaveLength(1);
  });

  it('AP in mid-transfer: the next fragment, P is disregarded', () => {
    const { hear } = fixture({ expecting: 7, queue: [message(500), message(8)] });
    expect([hear('xxxP', 7), hear('xxAP', 9)]).toEqual(['Fxxx 8 +360', 'xLxP 10 +140']);
  });

  it('AP that is repeated: the second downlink again, not a third', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9), message(8), message(7)] });
    hear('xxxP', 7);
    expect([hear('xxAP', 9), hear('xxAP', 9), hear('xxAP', 9)]).toEqual(['FLxP 10 +8', 'silence', 'FLxP 10 +8']);
    expect(cloud.delivered).toHaveLength(1);
  });
});

describe('a packet that does not fit is ignored and changes nothing', () => {
  it.each([
    ['A with data', 'xxAx', message(1)],
    ['AP with data', 'xxAP', message(1)],
    ['A without downlink', 'xxAx', undefined],
    ['AP without downlink', 'xxAP', undefined],
    ['middle fragment without first', 'xxxx', message(5)],
    ['last fragment without first', 'xLxx', message(5)],
    ['F without data', 'Fxxx', undefined],
    ['FL without data', 'FLxx', undefined],
    ['L without data', 'xLxx', undefined],
    ['no flags and no data', 'xxxx', undefined],
    ['data with P', 'FLxP', message(5)],
    ['P with F and no data', 'FxxP', undefined],
    ['A with L', 'xLAx', undefined],
  ])('%s', (_, flags, data) => {
    const { cloud, hear } = fixture({ expecting: 7 });
    expect(hear(flags, 7, data)).toBe('silence');
    expect(cloud.stored).toEqual([]);
    expect(hear('FLxx', 7, message(6))).toBe('xxAx 8');
  });

  it('A with data at a number that is ahead: ignored, not reset', () => {
    const { hear } = fixture({ expecting: 7 });
    expect(hear('xxAx', 40, message(1))).toBe('silence');
  });

  it('A with data while a downlink is in flight, and while an uplink is half received', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
    hear('xxxP', 7);
    expect(hear('xxAx', 9, message(1))).toBe('silence');
    expect(cloud.delivered).toEqual([]);
    expect(hear('Fxxx', 9, message(360))).toBe('xxAx 10');
    expect(hear('xxAx', 11, message(1))).toBe('silence');
    expect(hear('xLxx', 11, message(5))).toBe('xxAP 12');
    expect(cloud.stored[0]).toHaveLength(365);
  });
});

describe('a message that is not acceptable', () => {
  const accepts = (candidate: Uint8Array) => candidate[0] !== 0x7f;
  const bad = Uint8Array.of(0x7f, 1, 2);

  it('last fragment not acknowledged, nothing stored', () => {
    const { cloud, hear } = fixture({ accepts, expecting: 7 });
    expect([hear('FLxx', 7, bad), hear('FLxx', 7, bad), hear('FLxx', 7, bad)]).toEqual([
      'silence',
      'silence',
      'silence',
    ]);
    expect(cloud.stored).toEqual([]);
  });

  it('its earlier fragments are acknowledged, and the last one is judged anew when it is repeated', () => {
    const judged: number[] = [];
    const { cloud, hear } = fixture({ accepts: (candidate) => judged.push(candidate.length) === 3 });
    expect(hear('Fxxx', 0, message(360))).toBe('xxAx 1');
    expect([hear('xLxx', 2, message(5)), hear('xLxx', 2, message(5)), hear('xLxx', 2, message(5))]).toEqual([
      'silence',
      'silence',
      'xxAx 3',
    ]);
    expect(judged).toEqual([365, 365, 365]);
    expect(cloud.stored).toHaveLength(1);
  });

  it('of the greatest length can be refused any number of times, and still be accepted', () => {
    let refusals = 10;
    const { cloud, hear } = fixture({ accepts: () => refusals-- <= 0 });
    const last = LONGEST_MESSAGE - 45 * 360;
    for (let i = 0; i < 45; i++) hear(i === 0 ? 'Fxxx' : 'xxxx', i * 2, message(360));
    const answers = Array.from({ length: 11 }, () => hear('xLxx', 90, message(last)));
    expect(answers).toEqual([...new Array(10).fill('silence'), 'xxAx 91']);
    expect(cloud.stored[0]).toHaveLength(LONGEST_MESSAGE);
  });

  it('a reset follows after every 60 s for as long as the device repeats', () => {
    const { cloud, hear } = fixture({ accepts, expecting: 7 });
    hear('FLxx', 7, bad);
    cloud.now = seconds(61);
    expect([hear('FLxx', 7, bad), hear('FLxx', 0, bad)]).toEqual(['reset', 'silence']);
    cloud.now = seconds(122);
    expect([hear('FLxx', 0, bad), hear('FLxx', 0, bad)]).toEqual(['reset', 'silence']);
  });

  it('leaves no fragment behind to which another could be added', () => {
    const { hear } = fixture({ accepts, expecting: 7 });
    hear('FLxx', 7, bad);
    expect(hear('xLxx', 7, message(5))).toBe('silence');
  });

  it('is any that is longer than type byte and 16383 bytes; the longest that is allowed is stored', () => {
    for (const [length, last] of [
      [LONGEST_MESSAGE, 'xxAx'],
      [LONGEST_MESSAGE + 1, 'silence'],
    ] as const) {
      const { cloud, hear } = fixture();
      const whole = message(length);
      let answer = '';
      for (let at = 0, n = 0; at < length; at += 360, n += 2) {
        const end = Math.min(at + 360, length);
        answer = hear(`${at === 0 ? 'F' : 'x'}${end === length ? 'L' : 'x'}xx`, n, whole.subarray(at, end));
      }
      expect(answer).toContain(last);
      expect(cloud.stored.map((stored) => stored.length)).toEqual(length === LONGEST_MESSAGE ? [length] : []);
    }
  });

  it('a message without end is acknowledged, but not kept', () => {
    const { cloud, hear } = fixture();
    hear('Fxxx', 0, message(360));
    let n = 2;
    for (let i = 0; i < 5000; i++) {
      expect(hear('xxxx', n, message(360, i))).toBe(`xxAx ${successor(n)}`);
      n = successor(successor(n));
    }
    expect(hear('xLxx', n, message(5))).toBe('silence');
    expect(hear('xLxx', n, message(5))).toBe('silence');
    expect(cloud.stored).toEqual([]);
  });
});

describe('flags at the expected number (6.2 step 5)', () => {
  it('P while a downlink is in flight: it starts again from its first fragment', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(500)] });
    expect([hear('xxxP', 7), hear('xxxP', 9), hear('xxAx', 11)]).toEqual([
      'Fxxx 8 +360',
      'Fxxx 10 +360',
      'xLxx 12 +140',
    ]);
    expect(hear('xxxP', 13)).toBe('Fxxx 14 +360');
    expect(cloud.delivered).toEqual([]);
  });

  it('F while an uplink is unfinished: the unfinished one is dropped', () => {
    const { cloud, hear } = fixture({ expecting: 7 });
    hear('Fxxx', 7, message(360));
    expect(hear('FLxx', 9, message(5))).toBe('xxAx 10');
    expect(cloud.stored).toEqual([message(5)]);
  });

  it('F while a downlink is in flight: the downlink goes back to the head of the queue', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9), message(8)] });
    hear('xxxP', 7);
    expect(hear('FLxx', 9, message(5))).toBe('xxAP 10');
    expect(hear('xxxP', 11)).toBe('FLxP 12 +9');
    expect(cloud.delivered).toEqual([]);
  });

  it('P only in the ack of the last fragment', () => {
    const { hear } = fixture({ expecting: 7, queue: [message(9)] });
    expect([hear('Fxxx', 7, message(360)), hear('xxxx', 9, message(360)), hear('xLxx', 11, message(5))]).toEqual([
      'xxAx 8',
      'xxAx 10',
      'xxAP 12',
    ]);
  });

  it('P on the last fragment only, when another downlink waits', () => {
    const { hear } = fixture({ expecting: 7, queue: [message(500), message(9)] });
    expect([hear('xxxP', 7), hear('xxAx', 9)]).toEqual(['Fxxx 8 +360', 'xLxP 10 +140']);
  });

  it('P after the downlink in flight was cancelled: nothing is waiting, and nothing is confirmed later', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
    hear('xxxP', 7);
    cloud.queue.length = 0;
    expect(hear('xxxP', 9)).toBe('FLxx 10');
    expect(hear('FLxx', 12, message(5))).toBe('reset');
    expect(cloud.delivered).toEqual([]);
  });

  it('after a delivered downlink, a new one in the queue is offered at the next poll', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
    hear('xxxP', 7);
    hear('xxAx', 9);
    cloud.queue.push(message(8));
    expect(hear('xxxP', 10)).toBe('FLxx 11 +8');
  });
});

it('what a transfer remembers does not change with the buffer of the datagram', () => {
  const { cloud, hear } = fixture();
  const datagram = message(5);
  cloud.receive(packet('FLxx', 0, datagram));
  datagram.fill(0xff);
  expect(hear('FLxx', 0, message(5))).toBe('silence');
  expect(hear('FLxx', 0, message(5))).toBe('xxAx 1');
});
