/**
 * A dialogue as text that a reader can check against the documents: a line for every packet, and below the last packet of a
 * message its content. Packets are decoded with the code of the program, which is tested with the published vectors.
 *
 *     time of the run     way  flags number  data  datagram
 *     0:00:21.312  up     FLxx     0        306       428  CREATE_SESSION
 */
import type { Instant } from '../../src/kernel/time.js';
import { type EnvelopeFormat, hasValidTag, open } from '../../src/protocol/flap/envelope.js';
import { FIRST, formatFlags, LAST, type Packet } from '../../src/protocol/flap/packet.js';
import { contentFingerprint } from '../../src/protocol/hashes.js';
import { TYPE } from '../../src/protocol/messages/index.js';
import { isRawSender } from '../../src/runner/single-device.js';
import type { TraceEvent } from '../../src/trace/events.js';
import type { Dialogue } from './dialogue.js';
import { MessageText } from './message-text.js';

const HEAD = `    time     way   flags   seq  data  datagram`;
const INDENT = ' '.repeat(14);

/** The lines of a dialogue. @throws Error for a datagram without a valid tag of the device */
export function renderDialogue({ about, profile, token, entries }: Dialogue): readonly string[] {
  const text = new MessageText(profile);
  const format: EnvelopeFormat = isRawSender(profile) ? 'raw' : 'base64';
  const parts = { up: [] as Uint8Array[], down: [] as Uint8Array[] };
  const lines = [`# ${profile.title}: a dialogue of one device with the cloud.`, '#'];
  for (const line of about.trim().split('\n')) lines.push(`# ${line}`);
  lines.push(
    '#',
    `# Sizes are bytes; a datagram is ${format === 'raw' ? '' : 'base64 of '}the packet with its envelope. An upload of a codec is one line; no other packet was left out.`,
    '',
    HEAD,
  );
  for (const entry of entries) {
    if (entry.kind === 'fact') {
      const said = fact(entry.event);
      if (said !== undefined) lines.push(`${time(entry.at)}  == ${said}`);
      continue;
    }
    const envelope = open(entry.bytes, format);
    if (envelope === undefined || !hasValidTag(envelope, token))
      throw new Error(`${time(entry.at)}: not a datagram of this device`);
    const { packet } = envelope;
    const sizes = `${String(packet.data.length).padStart(5)} ${String(entry.bytes.length).padStart(9)}`;
    const head = `${time(entry.at)}  ${entry.way.padEnd(4)}  ${formatFlags(packet.flags)} ${String(packet.sequence).padStart(6)}  ${sizes}`;
    const part = parts[entry.way];
    if (packet.flags & FIRST) part.length = 0;
    part.push(packet.data);
    lines.push(`${head}  ${meaning(packet, entry.way, part)}`.trimEnd());
    if (packet.flags & LAST && packet.data.length > 0) {
      for (const line of text.of(Buffer.concat(part), entry.way)) lines.push(INDENT + line);
    }
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
      const clock = time(0).length;
      folded.push(`${first.slice(0, clock)}  up    ${' '.repeat(29)}${meant}, until ${line.slice(0, clock)}`);
    }
  }
  return folded;
}

/** Whether each packet was accepted at once, and nothing else happened in the meantime. */
function isSmooth(lines: readonly string[]): boolean {
  return lines.every((line, n) => (n % 2 === 0 ? / up .* … \d+$/ : / down {2}xxAx .* accepted$/).test(line));
}

/** The kind of a packet, in the words of the documents (wire W-13, W-44). */
function meaning({ flags, sequence, data }: Packet, way: 'up' | 'down', parts: readonly Uint8Array[]): string {
  if (data.length === 0) {
    if (flags === 0 && sequence === 0) return 'reset';
    if (flags & LAST) return 'nothing waiting';
    const ack = way === 'up' ? 'received' : 'accepted';
    const [, , acknowledges, polls] = formatFlags(flags);
    if (acknowledges === 'A') return polls === 'P' ? `${ack}, please poll` : ack;
    return 'poll';
  }
  if (!(flags & LAST)) return `… ${parts.length}`;
  const message = Buffer.concat(parts);
  const size = parts.length > 1 ? `, ${message.length} bytes in ${parts.length} packets` : '';
  const more = way === 'down' && formatFlags(flags).endsWith('P') ? ', and more is waiting' : '';
  return `${nameOf(message[0])}${size}${more} · ${contentFingerprint(message).slice(0, 8)}`;
}

function nameOf(type: number | undefined): string {
  const [name] = Object.entries(TYPE).find(([, number]) => number === type) ?? [`message ${type}`];
  return name.toUpperCase().replace('-', '_');
}

/** The text of an event that a reader needs to understand the packets; undefined for all other events. */
function fact(event: TraceEvent): string | undefined {
  switch (event.kind) {
    case 'device.boot':
      return `boot: ${event.cause}`;
    case 'device.ready':
      return 'ready';
    case 'device.wake':
      return `the radio wakes: ${event.why}`;
    case 'device.restart':
      return `the transfer starts over: ${event.why}`;
    case 'uplink.dropped':
      return `given up: ${event.type}, ${event.why}`;
    case 'poll.failed':
      return `the poll failed: ${event.why}`;
    case 'downlink.executed':
      return `executed: ${event.type}${event.ok ? '' : ', not ok'}`;
    case 'step':
      return `step ${event.step}${event.ok ? '' : `, failed: ${event.note}`}`;
    case 'world.closing':
      return 'the end: nothing new begins';
    default:
      return undefined;
  }
}

function time(at: Instant): string {
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
  const whole = Math.floor(at);
  const [h, m, s] = [Math.floor(whole / 3_600_000), Math.floor(whole / 60_000) % 60, Math.floor(whole / 1000) % 60];
  return `${h}:${pad(m, 2)}:${pad(s, 2)}.${pad(whole % 1000, 3)}`;
}
