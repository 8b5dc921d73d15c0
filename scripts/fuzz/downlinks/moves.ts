/** What a hostile cloud does when a packet arrives: one move for each packet, as plain data, so that a case can be repeated and shrunk. */
import { type Draws, integerBetween, randomBytes } from '../../../src/kernel/random.js';
import { days, hours, type Millis, minutes, seconds } from '../../../src/kernel/time.js';
import { pick, pickWeighted } from '../draw.js';
import { hostileMessage, type Vocabulary } from './bytes.js';

export type Move =
  /** Answers as a correct cloud. */
  | { readonly kind: 'honest' }
  /** Queues a downlink, then answers as a correct cloud. */
  | { readonly kind: 'queue'; readonly hex: string }
  /** Answers with this packet. `sequence` is added to the number that the device expects; `zero` resets it. */
  | { readonly kind: 'packet'; readonly flags: number; readonly sequence: number | 'zero'; readonly hex: string }
  /** Changes the answer of a correct cloud: its flags (exclusive or), and its datagram by `how`. */
  | { readonly kind: 'changed'; readonly flags: number; readonly how: Change }
  /** Answers with these bytes. */
  | { readonly kind: 'bytes'; readonly hex: string }
  /** Answers as a correct cloud after these times. None: no answer. */
  | { readonly kind: 'late'; readonly after: readonly Millis[] }
  /** Answers with the datagram that the device received so many datagrams ago. */
  | { readonly kind: 'old'; readonly back: number };

/** `tag`: a wrong tag. `serial`: the serial number of another device. `cut`, `longer`: fewer or more bytes. */
type Change = 'none' | 'tag' | 'serial' | 'cut' | 'longer';

const CHANGES: readonly Change[] = ['none', 'none', 'none', 'tag', 'serial', 'cut', 'longer'];
const DELAYS: readonly Millis[] = [0, 1, seconds(2), seconds(5), seconds(9), minutes(1), minutes(6), hours(1), days(1)];
/** Bytes of data at the limits of packets: the longest uplink fragment, the longest packet that a CHESTER receives, and one more. */
const SIZES = [0, 1, 2, 8, 16, 255, 360, 367, 368, 492, 494, 495, 721, 1024, 1400];

export function hostileMove(random: Draws, words: Vocabulary): Move {
  return pickWeighted<() => Move>(random, [
    [40, () => ({ kind: 'queue', hex: hex(hostileMessage(random, words)) })],
    [15, () => ({ kind: 'honest' })],
    [15, () => packet(random, words)],
    [12, () => ({ kind: 'changed', flags: pick(random, [0, 1, 1, 2, 4, 8, 12, 15]), how: pick(random, CHANGES) })],
    [3, () => ({ kind: 'bytes', hex: hex(randomBytes(random, pick(random, [0, 1, 13, 14, 20, 508, 509, 1200]))) })],
    [
      5,
      () => ({ kind: 'late', after: Array.from({ length: integerBetween(random, 0, 3) }, () => pick(random, DELAYS)) }),
    ],
    [4, () => ({ kind: 'old', back: integerBetween(random, 1, 12) })],
  ])();
}

function packet(random: Draws, words: Vocabulary): Move {
  const data = pickWeighted<() => Uint8Array>(random, [
    [3, () => new Uint8Array(0)],
    [3, () => hostileMessage(random, words).subarray(0, 360)],
    [1, () => randomBytes(random, pick(random, SIZES))],
  ])();
  const sequence = pick(random, [0, 0, 0, 0, 'zero', -1, 1, 2, 4094, integerBetween(random, -4095, 4095)] as const);
  return { kind: 'packet', flags: integerBetween(random, 0, 15), sequence, hex: hex(data) };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
