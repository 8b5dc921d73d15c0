/** Decodes a datagram, a message or a body into its parts, with the code that the cloud uses. */
import '../../platform/buffer.js';
import { isBytes } from '../../../../src/kernel/bytes.js';
import { type CborValue, decodeCbor } from '../../../../src/protocol/cbor.js';
import { type Codec, readCodec } from '../../../../src/protocol/codec.js';
import { decodeBody } from '../../../../src/protocol/decode.js';
import { type Envelope, hasValidTag, open, tokenBytes } from '../../../../src/protocol/flap/envelope.js';
import { ACK, FIRST, formatFlags, LAST, POLL } from '../../../../src/protocol/flap/packet.js';
import { codecHash, contentFingerprint, toHex } from '../../../../src/protocol/hashes.js';
import { type DownMessage, parseDown, parseUp, TYPE, type UpMessage } from '../../../../src/protocol/messages/index.js';
import type { Section } from '../../parts/sections.js';
import { readPasted } from './input.js';

export type Kind = 'datagram' | 'message' | 'body';

export interface Options {
  readonly kind: Kind;
  /** Claim token for the check of the tag; empty if the tag is not checked. */
  readonly token: string;
  /** Decoder of the device in CBOR, as hex or base64; empty if data stay CBOR. */
  readonly decoder: string;
}

/** @throws Error with a sentence if the text is neither hex nor base64, or the decoder is invalid */
export function inspect(text: string, options: Options): readonly Section[] {
  const { bytes, form } = readPasted(text);
  const codec = options.decoder.trim() === '' ? undefined : codecIn(options.decoder);
  const input: Section = {
    title: 'Input',
    facts: [
      ['length', `${bytes.length} bytes`, `pasted as ${form}`],
      ['fingerprint', contentFingerprint(bytes), 'as in events and traces'],
      ['codec hash', codecHash(bytes), 'if these bytes are the document of a codec'],
    ],
  };
  if (options.kind === 'body') return [input, ...bodySections(bytes, codec)];
  if (options.kind === 'message') return [input, ...messageSections(bytes, codec)];
  return [input, ...datagramSections(bytes, options.token.trim(), codec)];
}

function codecIn(text: string): Codec {
  const { bytes } = readPasted(text);
  return readCodec(bytes);
}

function datagramSections(bytes: Uint8Array, token: string, codec: Codec | undefined): readonly Section[] {
  const envelope = open(bytes, 'raw');
  if (!envelope) {
    return [
      { title: 'Envelope', facts: [['invalid', `${bytes.length} bytes`, 'shorter than 14 bytes, or serial number 0']] },
    ];
  }
  const { packet, serial } = envelope;
  const { flags, sequence, data } = packet;
  const sections: Section[] = [
    {
      title: 'Envelope',
      facts: [
        ['tag', spaced(envelope.bytes.subarray(0, 8)), tagNote(envelope, token)],
        ['serial number', String(serial).padStart(10, '0'), spaced(envelope.bytes.subarray(8, 12))],
      ],
    },
    {
      title: 'Packet',
      facts: [
        ['header', spaced(envelope.bytes.subarray(12, 14))],
        ['flags', formatFlags(flags), flagsNote(flags)],
        ['sequence', String(sequence), sequence === 0 ? 'begins a new numbering' : ''],
        ['data', `${data.length} bytes`, fragmentNote(flags, data.length)],
      ],
      ...(data.length > 0 && { text: spaced(data) }),
    },
  ];
  const isWhole = (flags & FIRST) !== 0 && (flags & LAST) !== 0 && data.length > 0;
  return isWhole ? [...sections, ...messageSections(data, codec)] : sections;
}

function tagNote(envelope: Envelope, token: string): string {
  if (token === '') return 'not checked: give the claim token';
  try {
    return hasValidTag(envelope, tokenBytes(token)) ? 'valid for this claim token' : 'NOT valid for this claim token';
  } catch (error) {
    return messageOf(error);
  }
}

function flagsNote(flags: number): string {
  const names = [
    [FIRST, 'first fragment'],
    [LAST, 'last fragment'],
    [ACK, 'acknowledgement'],
    [POLL, 'poll'],
  ] as const;
  return names.flatMap(([flag, name]) => (flags & flag ? [name] : [])).join(', ') || 'none';
}

function fragmentNote(flags: number, length: number): string {
  if (length === 0) return 'no message';
  if (flags & FIRST && flags & LAST) return 'a whole message';
  return flags & FIRST ? 'begins a message' : flags & LAST ? 'ends a message' : 'in the middle of a message';
}

function messageSections(bytes: Uint8Array, codec: Codec | undefined): readonly Section[] {
  const type = bytes[0] ?? 0;
  const name = Object.entries(TYPE).find(([, value]) => value === type)?.[0] ?? 'unknown';
  const head: Section = {
    title: 'Message',
    facts: [
      ['type', `0x${type.toString(16).padStart(2, '0')}`, name.replaceAll('-', '_').toUpperCase()],
      ['value', `${bytes.length - 1} bytes`],
    ],
  };
  const sections = [head];
  const parsed = parsedMessage(bytes);
  if (typeof parsed === 'string') return [...sections, { title: 'Content', facts: [['invalid', parsed]] }];
  sections.push({ title: 'Content', facts: [], text: jsonOf(parsed) });
  if ('body' in parsed) sections.push(...bodySections(parsed.body, codec));
  return sections;
}

/** The parsed message, or the reason for which it is invalid. */
function parsedMessage(bytes: Uint8Array): UpMessage | DownMessage | string {
  try {
    return parseUp(bytes);
  } catch (up) {
    try {
      return parseDown(bytes);
    } catch {
      return messageOf(up);
    }
  }
}

function bodySections(bytes: Uint8Array, codec: Codec | undefined): readonly Section[] {
  const sections: Section[] = [];
  try {
    sections.push({ title: 'CBOR', facts: [], text: diagnostic(decodeCbor(bytes)) });
  } catch (error) {
    return [{ title: 'CBOR', facts: [['invalid', messageOf(error)]], text: spaced(bytes) }];
  }
  if (!codec) return sections;
  const title = `Decoded by ${codec.document.name} (${codec.hash})`;
  try {
    sections.push({ title, facts: [], text: JSON.stringify(decodeBody(codec, bytes), null, 2) });
  } catch (error) {
    sections.push({ title, facts: [['failed', messageOf(error)]] });
  }
  return sections;
}

/** CBOR in diagnostic notation (RFC 8949, section 8), with line breaks. */
function diagnostic(value: CborValue, indent = ''): string {
  const inner = `${indent}  `;
  if (value instanceof Map) {
    const entries = [...value].map(([key, each]) => `${inner}${diagnostic(key)}: ${diagnostic(each, inner)}`);
    return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}\n${indent}}`;
  }
  if (isBytes(value)) return `h'${toHex(value)}'`;
  if (Array.isArray(value)) {
    const items = value.map((each) => diagnostic(each, inner));
    const line = `[${items.join(', ')}]`;
    return line.length < 80 ? line : `[\n${inner}${items.join(`,\n${inner}`)}\n${indent}]`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

function jsonOf(message: UpMessage | DownMessage): string {
  const shown = (_: string, value: unknown) => {
    if (isBytes(value)) return spaced(value);
    return typeof value === 'bigint' ? String(value) : value;
  };
  return JSON.stringify(message, shown, 2);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Pairs of hex digits with spaces between them, so that bytes can be counted. */
function spaced(bytes: Uint8Array): string {
  return toHex(bytes).replace(/..(?!$)/g, '$& ');
}
