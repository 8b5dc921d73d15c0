/**
 * A dialogue as text that a reader can check against the documents: a line for every packet, and below the last packet of a
 * message its content. Packets are decoded with the code of the program, which is tested with the published vectors.
 *
 *     time of the run     way  flags number  data  datagram
 *     0:00:21.312  up     FLxx     0        306       428  CREATE_SESSION
 */
import { printableLine } from '../kernel/printable.js';
import type { Instant } from '../kernel/time.js';
import {
  FIRST,
  formatFlags,
  type KeptPacket,
  keepPacket,
  LAST,
  LONGEST_MESSAGE,
  type Packet,
  samePacket,
} from '../protocol/flap/packet.js';
import { contentFingerprint } from '../protocol/hashes.js';
import { TYPE } from '../protocol/messages/index.js';
import type { MessageText } from './message-text.js';

type Way = 'up' | 'down';

/** A packet, or a note about the device or its connection, such as `boot: power`. */
export type Entry =
  | {
      readonly kind: 'packet';
      readonly at: Instant;
      readonly way: Way;
      readonly packet: Packet;
      /** Bytes of the datagram. */
      readonly size: number;
      /** Whether the tag of the envelope is not that of the device. Default: false, also if it was not checked. */
      readonly isForged?: boolean;
    }
  | { readonly kind: 'note'; readonly at: Instant; readonly text: string };

/** An entry with what it means. */
export type ReadEntry =
  | (Extract<Entry, { readonly kind: 'packet' }> & {
      /** In the words of the documents: `poll`, `… 2`, `UPLOAD_DATA · 1c31a483`. */
      readonly meaning: string;
      /** Content of the message that the packet completes, as lines. */
      readonly content: readonly string[];
    })
  | Extract<Entry, { readonly kind: 'note' }>;

const HEAD = `    time     way   flags   seq  data  datagram`;
const INDENT = ' '.repeat(14);

/** Joins the fragments of messages, and reads them. */
export function* readDialogue(entries: Iterable<Entry>, text: MessageText): Generator<ReadEntry> {
  const assemblies: Record<Way, Assembly> = { up: new Assembly(), down: new Assembly() };
  for (const entry of entries) {
    if (entry.kind === 'note' || entry.isForged) {
      yield entry.kind === 'note' ? entry : { ...entry, meaning: 'wrong tag', content: [] };
      continue;
    }
    const { packet, way } = entry;
    if (packet.data.length === 0) {
      yield { ...entry, meaning: meaningOfEmpty(packet, way), content: [] };
      continue;
    }
    const assembly = assemblies[way];
    const message = assembly.add(packet);
    if (message !== undefined) assembly.meaning = meaningOf(message, assembly.count, packet, way);
    yield { ...entry, meaning: assembly.meaning, content: message === undefined ? [] : text.of(message, way) };
  }
}

const TOO_LONG = `fragment of more than ${LONGEST_MESSAGE} bytes, the longest message`;

/** The fragments of the message in transfer. */
class Assembly {
  #parts: Uint8Array[] = [];
  #size = 0;
  /** The last fragment: a device may send it again. */
  #last: KeptPacket | undefined;
  /** Number of fragments. */
  count = 0;
  /** Of the last fragment. */
  meaning = '';

  /** Returns the message that the packet completes; undefined also for a copy of its last fragment. */
  add(packet: Packet): Uint8Array | undefined {
    const kept = keepPacket(packet);
    if (!(packet.flags & FIRST) && this.#last && samePacket(this.#last, kept)) return undefined;
    const { flags = LAST } = this.#last ?? {};
    if (packet.flags & FIRST || flags & LAST) [this.#parts, this.#size, this.count] = [[], 0, 0];
    this.#last = kept;
    this.count++;
    this.#size += packet.data.length;
    const isTooLong = this.#size > LONGEST_MESSAGE;
    if (isTooLong) this.#parts = [];
    else this.#parts.push(packet.data);
    this.meaning = isTooLong ? TOO_LONG : `… ${this.count}`;
    return packet.flags & LAST && !isTooLong ? Buffer.concat(this.#parts) : undefined;
  }
}

/** The lines of a dialogue, with a line above that names the columns. */
export function dialogueLines(entries: Iterable<ReadEntry>): readonly string[] {
  const lines = [HEAD];
  for (const entry of entries) {
    if (entry.kind === 'note') {
      lines.push(`${formatTime(entry.at)}  == ${printableLine(entry.text)}`);
      continue;
    }
    const { at, way, packet, size, meaning, content } = entry;
    const sizes = `${String(packet.data.length).padStart(5)} ${String(size).padStart(9)}`;
    const head = `${formatTime(at)}  ${way.padEnd(4)}  ${formatFlags(packet.flags)} ${String(packet.sequence).padStart(6)}  ${sizes}`;
    lines.push(`${head}  ${meaning}`.trimEnd(), ...content.map((line) => INDENT + printableLine(line)));
  }
  return foldCodecs(lines);
}

const CODEC = / UPLOAD_(?:DE|EN)CODER, \d+ bytes in (\d+) packets · \w+$/;

/** Puts each upload of a codec into one line, unless something happened during the upload. */
function foldCodecs(lines: readonly string[]): readonly string[] {
  const folded: string[] = [];
  for (const line of lines) {
    const [meant, packets] = CODEC.exec(line) ?? [];
    const before = 2 * (Number(packets) - 1);
    const upload = meant === undefined ? [] : folded.slice(-before);
    if (meant === undefined || before === 0 || !isSmooth(upload)) folded.push(line);
    else {
      const [first = ''] = folded.splice(-before);
      const clock = formatTime(0).length;
      folded.push(`${first.slice(0, clock)}  up    ${' '.repeat(29)}${meant}, until ${line.slice(0, clock)}`);
    }
  }
  return folded;
}

/** Whether each packet was accepted at once, and nothing else happened in the meantime. */
function isSmooth(lines: readonly string[]): boolean {
  return lines.every((line, n) => (n % 2 === 0 ? / up .* … \d+$/ : / down {2}xxAx .* accepted$/).test(line));
}

/** The kind of a packet without data, in the words of the documents (wire W-13, W-44). */
function meaningOfEmpty({ flags, sequence }: Packet, way: Way): string {
  if (flags === 0 && sequence === 0) return 'reset';
  if (flags & LAST) return 'nothing waiting';
  const ack = way === 'up' ? 'received' : 'accepted';
  const [, , acknowledges, polls] = formatFlags(flags);
  if (acknowledges === 'A') return polls === 'P' ? `${ack}, please poll` : ack;
  return 'poll';
}

/** The name of a message that a packet completes, and what else the packet says. */
function meaningOf(message: Uint8Array, count: number, { flags }: Packet, way: Way): string {
  const size = count > 1 ? `, ${message.length} bytes in ${count} packets` : '';
  const more = way === 'down' && formatFlags(flags).endsWith('P') ? ', and more is waiting' : '';
  return `${messageName(message[0])}${size}${more} · ${contentFingerprint(message).slice(0, 8)}`;
}

/** `UPLOAD_DATA`; `message 77` for a type without a name. */
function messageName(type: number | undefined): string {
  const [name] = Object.entries(TYPE).find(([, number]) => number === type) ?? [`message ${type}`];
  return name.toUpperCase().replace('-', '_');
}

/** `0:00:21.312`; `-0:00:21.312` for a time before the start. */
export function formatTime(at: Instant): string {
  if (at < 0) return `-${formatTime(-at)}`;
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
  const whole = Math.floor(at);
  const [h, m, s] = [Math.floor(whole / 3_600_000), Math.floor(whole / 60_000) % 60, Math.floor(whole / 1000) % 60];
  return `${h}:${pad(m, 2)}:${pad(s, 2)}.${pad(whole % 1000, 3)}`;
}
