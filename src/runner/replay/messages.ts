/**
 * The messages of a replay in both directions. Their contents are meaningless. Uplinks have the kind of the recorded ones, with
 * a few exceptions; downlinks of users have the type and about the size of the recorded ones.
 */
import type { DeviceCloudClient, Message } from '../../client/client.js';
import { encodeCbor } from '../../protocol/cbor.js';
import { codecHash } from '../../protocol/hashes.js';
import { encodeUp, type UpMessage } from '../../protocol/messages/index.js';
import type { Contact, ScriptDownlink } from '../../record/script.js';

/**
 * @param count number of messages of the device so far. It is part of the content, because the cloud stores equal messages only
 * once
 */
export function encodeUplink(kind: Exclude<Contact['kind'], 'poll'>, serial: number, count: number): Uint8Array {
  return encodeUp(buildUplink(kind, serial, count));
}

function buildUplink(kind: Exclude<Contact['kind'], 'poll'>, serial: number, count: number): UpMessage {
  switch (kind) {
    case 'session':
      return { kind: 'create-session', session: { serial_number: serial } };
    case 'data':
      return { kind: 'upload-data', hash: NO_HASH, body: encodeCbor(count) };
    case 'config':
      return { kind: 'upload-config', hash: count.toString(16).padStart(16, '0'), lines: [] };
    case 'decoder':
      return { kind: 'upload-decoder', hash: codecHash(ENCODER), document: ENCODER };
    case 'encoder':
      return { kind: 'upload-encoder', hash: codecHash(ENCODER), document: ENCODER };
    case 'shell':
      return { kind: 'upload-shell', messageId: new Uint8Array(16), responses: [] };
    // A real update report would change the state of an update, so statistics replace it.
    case 'firmware':
    case 'stats':
    case 'other':
      return { kind: 'upload-stats', stats: {} };
    default:
      return kind satisfies never;
  }
}

/** The encoder that replayed devices upload. It has one field, a text, which is enough for data downlinks of any size. */
const ENCODER = encodeCbor(
  new Map<string, string | number | readonly Map<string, readonly Map<string, string>[]>[]>([
    ['version', 2],
    ['type', 'encoder'],
    ['name', 'replay'],
    ['schema', [new Map([['text', [new Map([['$type', 'string']])]]])]],
  ]),
);
const NO_HASH = '0'.repeat(16);

/** Types of downlinks that a user queues; the cloud makes the others. */
export const QUEUED_BY_USERS: ReadonlySet<ScriptDownlink['type']> = new Set(['data', 'shell', 'config']);

/** Queues a downlink as large as the recorded one. */
export function queueLike({ type, size }: ScriptDownlink, api: DeviceCloudClient, deviceId: string): Promise<Message> {
  if (type === 'data') return api.sendData(deviceId, { text: 'x'.repeat(Math.min(MOST_TEXT, Math.max(0, size - 11))) });
  return type === 'config' ? api.sendConfig(deviceId, buildLines(size)) : api.sendCommands(deviceId, buildLines(size));
}

const LONGEST_LINE = 255;
/** Maximum number of lines that fit into a message (wire W-2). */
const MOST_LINES = 60;
/** Maximum length of the text in a data downlink. */
const MOST_TEXT = 300;

/** Lines that take about `size` bytes as JSON, including their quotes, commas and brackets; at least one short line. */
function buildLines(size: number): readonly string[] {
  const made: string[] = [];
  for (let left = size - 1; left > 3 && made.length < MOST_LINES; left -= LONGEST_LINE + 3) {
    made.push('x'.repeat(Math.min(LONGEST_LINE, left - 3)));
  }
  return made.length === 0 ? ['x'] : made;
}
