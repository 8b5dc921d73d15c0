/**
 * Messages that no cloud should send: bodies with integers at their limits, odd types, wrong lengths, hostile texts, and bodies that
 * are cut or damaged. Many are nearly valid, so that they reach the code that executes a downlink.
 */
import { type Draws, integerBetween, randomBytes } from '../../../src/kernel/random.js';
import { type CborValue, encodeCbor } from '../../../src/protocol/cbor.js';
import { TYPE } from '../../../src/protocol/messages/index.js';
import { oneIn, pick, pickWeighted } from '../draw.js';

/** What the texts of a device are made of. */
export interface Vocabulary {
  /** Commands of the shell. */
  readonly commands: readonly string[];
  /** Lines that change a parameter to a valid value at its limit: `app config interval-report 30`. */
  readonly settings: readonly string[];
  /** Header of a firmware image that the device runs. */
  readonly image: Uint8Array;
}

/** Limits of all integers that a firmware may use, and their neighbours. */
const INTEGERS = [0n, 7n, 8n, 15n, 16n, 31n, 32n, 53n, 63n, 64n].flatMap((bits) => {
  const limit = 1n << bits;
  return [limit - 2n, limit - 1n, limit, limit + 1n].flatMap((value) => [value, -value]);
});

const TEXTS = [
  ...[
    '',
    ' ',
    '-1',
    '0',
    '1e999',
    'NaN',
    '%s%n%d',
    '"',
    "'",
    '\\',
    '"unclosed',
    '\u0000',
    'a\u0000b',
    '\r\n',
    '\u001b[2J',
  ],
  ...['\ufffd', '\ud83d\ude00', 'é'.repeat(127), 'a'.repeat(254), 'a'.repeat(255), 'a'.repeat(256), 'b'.repeat(4000)],
  ...['__proto__', 'constructor', 'app', 'chunk', 'download', 'true', 'help', '?', 'config save', 'config show'],
];

/** Commands whose arguments have a form of their own. */
const LINES = [
  ...[
    'rtc set 2099/12/31 23:59:59',
    'rtc set 1970/01/01 00:00:00',
    'rtc set 2038/01/19 03:14:08',
    'rtc set 2024/02/29 12:00:00',
  ],
  ...[
    'send',
    'sample',
    'aggreg',
    'cloud poll',
    'cloud state',
    'cloud firmware download x',
    'tag read all 300',
    'lte reconnect',
  ],
  ...['config save', 'config reset', 'kernel reboot cold', 'kernel uptime', 'lte metrics', 'cloud metrics'],
];

/** Heads of items that promise too much, never end, or are not allowed. */
const HEADS = [
  '9b7fffffffffffffff',
  'bbffffffffffffffff',
  '5bffffffffffffffff',
  '7affffffff',
  '9f',
  'bf',
  '5f',
  '7f',
  'ff',
  'c0',
  'f8ff',
  '1c',
  '1b',
  'f97e00',
  'fb7ff0000000000000',
];

export function hostileMessage(random: Draws, words: Vocabulary): Uint8Array {
  const message = pickWeighted<() => Uint8Array>(random, [
    [2, () => session(random)],
    [1, () => timestamp(random)],
    [3, () => config(random, words)],
    [3, () => shell(random, words)],
    [3, () => firmware(random, words)],
    [1, () => framed(TYPE['download-data'], randomBytes(random, integerBetween(random, 0, 600)))],
    [1, () => framed(integerBetween(random, 0, 255), randomBytes(random, integerBetween(random, 0, 40)))],
    [1, () => randomBytes(random, integerBetween(random, 0, 3))],
  ])();
  return oneIn(random, 3) ? damaged(random, message) : message;
}

/** A value of any type that CBOR has. */
function anyValue(random: Draws, depth = 0): CborValue {
  const items = (least: number) =>
    Array.from({ length: integerBetween(random, least, 4) }, () => anyValue(random, depth + 1));
  return pickWeighted<() => CborValue>(random, [
    [8, () => integer(random)],
    [4, () => text(random)],
    [3, () => randomBytes(random, pick(random, [0, 1, 8, 15, 16, 17, 255, 256, 600]))],
    [1, () => pick(random, [null, true, false, 0.5, -1e300, Number.NaN, Number.POSITIVE_INFINITY])],
    [depth > 3 ? 0 : 1, () => items(0)],
    [
      depth > 3 ? 0 : 1,
      () => new Map(items(0).map((value) => [oneIn(random, 2) ? integer(random) : text(random), value])),
    ],
  ])();
}

function integer(random: Draws): bigint {
  const limit = pick(random, INTEGERS);
  // CBOR has no integers below -2^64 or from 2^64 on.
  return limit > 0xffff_ffff_ffff_ffffn ? 1n : limit < -0xffff_ffff_ffff_ffffn ? -1n : limit;
}

function text(random: Draws): string {
  return oneIn(random, 3)
    ? randomBytes(random, integerBetween(random, 0, 30)).reduce((all, byte) => all + String.fromCharCode(byte), '')
    : pick(random, TEXTS);
}

/** The entries with some of them replaced, left out, repeated, moved, or followed by unknown keys. */
function spoiled(random: Draws, entries: readonly (readonly [number, CborValue])[]): Uint8Array {
  const kept: (readonly [CborValue, CborValue])[] = entries.flatMap(([key, value]) => {
    if (oneIn(random, 10)) return [];
    const changed = oneIn(random, 4) ? anyValue(random) : value;
    return oneIn(random, 20)
      ? ([
          [key, value],
          [key, changed],
        ] as const)
      : ([[key, changed]] as const);
  });
  if (oneIn(random, 6)) kept.push([oneIn(random, 2) ? integer(random) : text(random), anyValue(random)]);
  if (oneIn(random, 8)) kept.reverse();
  const head = kept.length < 24 ? Uint8Array.of(0xa0 + kept.length) : Uint8Array.of(0xb8, kept.length);
  return Buffer.concat([head, ...kept.flatMap(([key, value]) => [encodeCbor(key), encodeCbor(value)])]);
}

function session(random: Draws): Uint8Array {
  const time = oneIn(random, 2)
    ? 1_767_225_600n + BigInt(integerBetween(random, -100_000_000, 100_000_000))
    : integer(random);
  const hash = () => BigInt.asUintN(64, integer(random));
  return framed(
    TYPE['set-session'],
    spoiled(random, [
      [0, oneIn(random, 3) ? integer(random) : 7],
      [1, hash()],
      [2, hash()],
      [3, hash()],
      [4, time],
      [5, text(random)],
      [6, text(random)],
    ]),
  );
}

function timestamp(random: Draws): Uint8Array {
  const value = Buffer.alloc(8);
  value.writeBigUInt64BE(
    BigInt.asUintN(
      64,
      oneIn(random, 2) ? integer(random) : BigInt(integerBetween(random, -1_000_000_000, 5_000_000_000)),
    ),
  );
  return framed(TYPE['set-timestamp'], oneIn(random, 4) ? value.subarray(0, integerBetween(random, 0, 8)) : value);
}

function config(random: Draws, words: Vocabulary): Uint8Array {
  const list = lines(random, () => (oneIn(random, 3) ? anyLine(random, words) : configLine(random, words)));
  const compression = oneIn(random, 8) ? integerBetween(random, 0, 255) : 0;
  return framed(TYPE['download-config'], Buffer.concat([Uint8Array.of(compression), list]));
}

function shell(random: Draws, words: Vocabulary): Uint8Array {
  const list = lines(random, () => anyLine(random, words));
  const id = oneIn(random, 4) ? encodeCbor(anyValue(random)) : encodeCbor(randomBytes(random, 16));
  const parts = oneIn(random, 10)
    ? [Uint8Array.of(1), id, Uint8Array.of(0), list]
    : [Uint8Array.of(0), list, Uint8Array.of(1), id];
  return framed(TYPE['download-shell'], Buffer.concat([Uint8Array.of(0xa2), ...parts]));
}

function lines(random: Draws, line: () => string): Uint8Array {
  if (oneIn(random, 10)) return encodeCbor(anyValue(random));
  const count = pick(random, [0, 1, 1, 1, 2, 3, 24, 60]);
  return encodeCbor(Array.from({ length: count }, () => (oneIn(random, 12) ? anyValue(random) : line())));
}

function configLine(random: Draws, { settings }: Vocabulary): string {
  const line = pick(random, settings);
  if (oneIn(random, 2)) return line;
  return `${line.split(' ').slice(0, 3).join(' ')} ${oneIn(random, 2) ? integer(random) : text(random)}`;
}

function anyLine(random: Draws, words: Vocabulary): string {
  const line = pickWeighted<() => string>(random, [
    [5, () => pick(random, words.commands)],
    [2, () => pick(random, words.settings)],
    [1, () => pick(random, LINES)],
    [1, () => text(random)],
  ])();
  const rest = Array.from({ length: pick(random, [0, 0, 1, 1, 2, 5, 30]) }, () =>
    pickWeighted<() => string>(random, [
      [2, () => String(integer(random))],
      [2, () => text(random)],
      [1, () => pick(random, ['on', 'off', '0', '1', '-h', '--help', '1.5', 'all'])],
    ])(),
  );
  return [line, ...rest].join(oneIn(random, 20) ? '  ' : ' ');
}

function firmware(random: Draws, { image }: Vocabulary): Uint8Array {
  const size = pick(random, [image.length, image.length, 1, 700, 1_000_000, 4_294_967_295]);
  const offset = pick(random, [0, 0, 0, 1, 256, image.length - 1, image.length]);
  const data = oneIn(random, 2)
    ? image.subarray(offset, offset + 512)
    : randomBytes(random, integerBetween(random, 0, 512));
  return framed(
    TYPE['download-firmware'],
    spoiled(random, [
      [0, 'app'],
      [1, 'chunk'],
      [2, new Uint8Array(16).fill(7)],
      ...(offset === 0 ? [] : [[3, offset] as const]),
      [4, data.length],
      [5, data],
      [6, size],
    ]),
  );
}

function damaged(random: Draws, message: Uint8Array): Uint8Array {
  const at = integerBetween(random, 0, message.length);
  return pickWeighted<() => Uint8Array>(random, [
    [3, () => message.subarray(0, at)],
    [3, () => flipped(random, message)],
    [2, () => Buffer.concat([message.subarray(0, at), Buffer.from(pick(random, HEADS), 'hex'), message.subarray(at)])],
    [1, () => Buffer.concat([message, randomBytes(random, integerBetween(random, 1, 40))])],
    [
      1,
      () =>
        Buffer.concat([
          message.subarray(0, 1),
          Buffer.from(pick(random, HEADS).repeat(pick(random, [1, 70, 500])), 'hex'),
        ]),
    ],
    [1, () => Buffer.concat([message, Buffer.alloc(pick(random, [2048, 17_000]), 0x61)])],
  ])();
}

/** The bytes with up to four bits changed. */
export function flipped(random: Draws, bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes);
  for (let n = integerBetween(random, 1, 4); n > 0 && copy.length > 0; n--) {
    const at = integerBetween(random, 0, copy.length - 1);
    copy[at] = (copy[at] ?? 0) ^ (1 << integerBetween(random, 0, 7));
  }
  return copy;
}

function framed(type: number, value: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of(type), value]);
}
