/**
 * The cloud's side, packet by packet: packets that it ignores, and messages that it does not accept (wire W-24 to W-34). The
 * flags of packets are F first, L last, A acknowledgement and P poll; x means that a flag is not set.
 */
import { describe, expect, it } from 'vitest';
import { seconds } from '../../../src/kernel/time.js';
import { LONGEST_MESSAGE, successor } from '../../../src/protocol/flap/packet.js';
import { fixture } from './cloud-fixture.js';
import { message } from './notation.js';

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

  it('its earlier fragments are acknowledged, and the last fragment is judged anew when it is repeated', () => {
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

  it('of the maximum length can be rejected any number of times, and still be accepted', () => {
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

  it('leaves no fragment behind to which another fragment could be added', () => {
    const { hear } = fixture({ accepts, expecting: 7 });
    hear('FLxx', 7, bad);
    expect(hear('xLxx', 7, message(5))).toBe('silence');
  });

  it('that is too long because of its last fragment is stored with a shorter last fragment', () => {
    const { cloud, hear } = fixture();
    const [most, fitting] = [message(LONGEST_MESSAGE - 10), message(10, 1)];
    expect([hear('Fxxx', 0, most), hear('xLxx', 2, message(11)), hear('xLxx', 2, fitting)]).toEqual([
      'xxAx 1',
      'silence',
      'xxAx 3',
    ]);
    expect(cloud.stored).toEqual([Uint8Array.from([...most, ...fitting])]);
  });

  it('is longer than the type byte and 16383 bytes; a message of exactly this length is stored', () => {
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
