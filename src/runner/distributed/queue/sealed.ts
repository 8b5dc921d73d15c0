/**
 * Encrypts the tasks and messages in a queue with the API key of the target. The run and its workers have this key, and the
 * queue does not contain it. So a reader of the queue learns no claim token. And a writer without the key cannot forge a task
 * that makes a worker send the key to another address, nor the result of a part.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Millis } from '../../../kernel/time.js';
import type { PartTask } from '../messages.js';

/** The content of a task in the queue. */
export interface SealedTask {
  readonly task: PartTask;
  /** When it was put into the queue, by the clock of the database: an old one is not carried out again. */
  readonly at: Millis;
}

const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** @param context purpose of the data, such as the id of a run: {@link unseal} needs the same one */
export function seal(data: unknown, apiKey: string, context: string): Uint8Array {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, keyOf(apiKey, context), iv);
  const sealed = Buffer.concat([cipher.update(gzipSync(serialize(data), { level: 1 })), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Decrypts the result of {@link seal}. Returns undefined if it was made with another key or for another context. */
export function unseal(sealed: Uint8Array, apiKey: string, context: string): unknown {
  if (sealed.length < IV_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, keyOf(apiKey, context), sealed.subarray(0, IV_BYTES));
  decipher.setAuthTag(sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
  const body = sealed.subarray(IV_BYTES + TAG_BYTES);
  try {
    return deserialize(gunzipSync(Buffer.concat([decipher.update(body), decipher.final()])));
  } catch {
    return undefined;
  }
}

function keyOf(apiKey: string, context: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', apiKey, context, 'ghostfleet part of a run', 32));
}
