/** A recorded dialogue as the text of a golden file: packets, messages, and the events that a reader needs to understand them. */
import { type EnvelopeFormat, hasValidTag, open } from '../../src/protocol/flap/envelope.js';
import { isRawSender } from '../../src/runner/single-device.js';
import type { TraceEvent } from '../../src/trace/events.js';
import { dialogueLines, type Entry, formatTime, readDialogue } from '../../src/wire/dialogue-text.js';
import { MessageText } from '../../src/wire/message-text.js';
import type { Dialogue, Entry as Recorded } from './dialogue.js';

/** The lines of a dialogue. @throws Error for a datagram without a valid tag of the device */
export function renderDialogue({ about, profile, token, entries }: Dialogue): readonly string[] {
  const text = new MessageText({ decoderOf: () => profile.decoder, secrets: true });
  const format: EnvelopeFormat = isRawSender(profile) ? 'raw' : 'base64';
  const read = readDialogue(
    entries.flatMap((entry) => readEntry(entry, format, token)),
    text,
  );
  return [
    `# ${profile.title}: a dialogue of one device with the cloud.`,
    '#',
    ...about
      .trim()
      .split('\n')
      .map((line) => `# ${line}`),
    '#',
    `# Sizes are bytes; a datagram is ${format === 'raw' ? '' : 'base64 of '}the packet with its envelope. An upload of a codec is one line; no other packet was left out.`,
    '',
    ...dialogueLines(read),
  ];
}

function readEntry(entry: Recorded, format: EnvelopeFormat, token: Uint8Array): readonly Entry[] {
  const { at } = entry;
  if (entry.kind === 'fact') {
    const text = fact(entry.event);
    return text === undefined ? [] : [{ kind: 'note', at, text }];
  }
  const { bytes, way } = entry;
  const envelope = open(bytes, format);
  if (envelope === undefined || !hasValidTag(envelope, token))
    throw new Error(`${formatTime(at)}: not a datagram of this device`);
  return [{ kind: 'packet', at, way, packet: envelope.packet, size: bytes.length }];
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
