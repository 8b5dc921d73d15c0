/**
 * Encrypts the tasks and messages in a queue with the API key of the target. The run and its workers have this key, and the
 * queue does not contain it. So a reader of the queue learns nothing of the run. And a writer without the key cannot forge a
 * task that makes a worker send the key to another address, nor the result of a part.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Millis } from '../../../kernel/time.js';
import type { PartTask } from '../messages.js';
import type { Side } from './schema.js';

/** The content of a task in the queue. */
export interface SealedTask {
  readonly task: PartTask;
  /** When it was put into the queue, by the clock of the database: an old one is not carried out again. */
  readonly at: Millis;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The place of the task of a part. */
export function taskPlace(run: string, part: number): string {
  return `${run}/${part}`;
}

/** The place of a message. @param number its number among the messages of one side, from 1 */
export function messagePlace(run: string, part: number, from: Side, number: number): string {
  return `${taskPlace(run, part)}/${from}/${number}`;
}

/** @param place for which the data are: {@link unseal} needs the same one */
export function seal(data: unknown, apiKey: string, place: string): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(apiKey, place), iv);
  const sealed = Buffer.concat([cipher.update(gzipSync(serialize(data), { level: 1 })), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Decrypts the result of {@link seal}. Returns undefined if it was made with another key or for another place. */
export function unseal(sealed: Uint8Array, apiKey: string, place: string): unknown {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, keyOf(apiKey, place), sealed.subarray(0, IV_BYTES));
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const body = sealed.subarray(IV_BYTES + TAG_BYTES);
  try {
    return deserialize(gunzipSync(Buffer.concat([decipher.update(body), decipher.final()])));
  } catch {
    return undefined;
  }
}

function keyOf(apiKey: string, place: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, place, 'ghostfleet part of a run', 32));
}
