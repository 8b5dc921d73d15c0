/**
 * Encrypts the secrets of a store: AES-256-GCM with one key for the whole database (ADR 19).
 *
 * A value is stored as an envelope: the text `~`, the id of the key, and in base64 the nonce, the ciphertext and the tag. Every
 * value has a place, such as `device/<id>/token`. The place is authenticated with the value, so that an envelope that was
 * copied to another row or field is rejected.
 *
 * The nonce is a keyed hash of place and text instead of a random number. So the same text in the same place has the same
 * envelope, and a commit can compare the stored value with the expected one. Equal envelopes reveal that a value was changed
 * and then changed back, and nothing else.
 */
import { createCipheriv, createDecipheriv, createHmac, createSecretKey, hkdfSync, type KeyObject } from 'node:crypto';

/** A stored value that cannot be decrypted: it is damaged, comes from another place, or was encrypted with another key. */
export class UnreadableSecret extends Error {
  constructor(place: string, why: string) {
    super(`the encrypted value of ${place} ${why}`);
    this.name = 'UnreadableSecret';
  }
}

export const KEY_SIZE = 32;

const CIPHER = 'aes-256-gcm';
const NONCE_SIZE = 12;
const TAG_SIZE = 16;
/** First character of an envelope: no JSON text and no hexadecimal number begins with it. */
const MARK = '~';

/** Whether a stored text is an envelope. */
export function isSealed(stored: string): boolean {
  return stored.startsWith(MARK);
}

export class Vault {
  /** Distinguishes keys without revealing anything about them: 8 lower-case hex digits. */
  readonly keyId: string;
  readonly #prefix: string;
  readonly #cipherKey: KeyObject;
  readonly #nonceKey: KeyObject;
  readonly #lookupKey: KeyObject;

  /** @param key {@link KEY_SIZE} random bytes */
  constructor(key: Uint8Array) {
    const derive = (purpose: string, size: number) =>
      Buffer.from(hkdfSync('sha256', key, '', `ghostfleet ${purpose}`, size));
    this.keyId = derive('key id', 4).toString('hex');
    this.#prefix = MARK + this.keyId;
    this.#cipherKey = createSecretKey(derive('encryption', KEY_SIZE));
    this.#nonceKey = createSecretKey(derive('nonce', KEY_SIZE));
    this.#lookupKey = createSecretKey(derive('lookup', KEY_SIZE));
  }

  seal(place: string, text: string): string {
    const nonce = createHmac('sha256', this.#nonceKey).update(`${place}\n${text}`).digest().subarray(0, NONCE_SIZE);
    const cipher = createCipheriv(CIPHER, this.#cipherKey, nonce).setAAD(Buffer.from(place));
    const content = [nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
    return this.#prefix + Buffer.concat(content).toString('base64');
  }

  /** @throws UnreadableSecret */
  open(place: string, stored: string): string {
    if (!stored.startsWith(this.#prefix)) {
      throw new UnreadableSecret(place, isSealed(stored) ? 'has another key' : 'is not encrypted');
    }
    const content = Buffer.from(stored.slice(this.#prefix.length), 'base64');
    try {
      const decipher = createDecipheriv(CIPHER, this.#cipherKey, content.subarray(0, NONCE_SIZE), {
        authTagLength: TAG_SIZE,
      })
        .setAAD(Buffer.from(place))
        .setAuthTag(content.subarray(-TAG_SIZE));
      return decipher.update(content.subarray(NONCE_SIZE, -TAG_SIZE), undefined, 'utf8') + decipher.final('utf8');
    } catch {
      throw new UnreadableSecret(place, 'is damaged or belongs to another place');
    }
  }

  /** A keyed hash by which a value can be found, 64 lower-case hex digits. */
  lookup(value: string): string {
    return createHmac('sha256', this.#lookupKey).update(value).digest('hex');
  }
}
