/**
 * The cloud's side, packet by packet: polls, downlinks and their fragments (wire W-24 to W-34). Flags: F first, L last, A
 * acknowledgement, P poll, x not set.
 */
import { describe, expect, it } from 'vitest';
import { fixture } from './cloud-fixture.js';
import { message, packet } from './notation.js';

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

  it('the fragments, joined, are the message', () => {
    const { cloud } = fixture({ queue: [message(900)] });
    const answers = [packet('xxxP', 0), packet('xxAx', 2), packet('xxAx', 4)].map((sent) => cloud.receive(sent));
    expect(Buffer.concat(answers.map((answer) => answer?.data ?? message(0)))).toEqual(Buffer.from(message(900)));
  });

  it('of exactly one or two fragments has no empty fragment at its end', () => {
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

  it('AP in mid-transfer: the next fragment is sent, P is ignored', () => {
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

describe('flags at the expected number (wire W-31)', () => {
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

  it('F while an uplink is unfinished: that uplink is dropped', () => {
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

  it('after a delivered downlink, a new downlink in the queue is offered at the next poll', () => {
    const { cloud, hear } = fixture({ expecting: 7, queue: [message(9)] });
    hear('xxxP', 7);
    hear('xxAx', 9);
    cloud.queue.push(message(8));
    expect(hear('xxxP', 10)).toBe('FLxx 11 +8');
  });
});
