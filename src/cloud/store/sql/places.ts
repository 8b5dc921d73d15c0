/**
 * Which values are encrypted in SQLite and PostgreSQL: the claim tokens and session facts of devices, the bodies of records,
 * and the content of messages that can contain passkeys, tokens or keys. Messages of other types (data, statistics, codecs,
 * firmware) are not encrypted.
 *
 * Each value has a place, such as `device/019b…/token`. The vault binds the ciphertext to its place, so that a value that was
 * copied to another place cannot be decrypted.
 */
import type { Vault } from '../secrets/vault.js';
import type { Id, MessageRow } from '../store.js';

/** Types of messages that contain facts of a session, settings, or lines and answers of the shell. */
export const SEALED_TYPES: readonly string[] = ['session', 'config', 'shell'];

export const place = {
  token: (deviceId: Id) => `device/${deviceId}/token`,
  session: (deviceId: Id) => `device/${deviceId}/session`,
  body: (messageId: Id) => `message/${messageId}/body`,
  raw: (messageId: Id) => `message/${messageId}/raw`,
  record: (family: string, id: Id) => `record/${family}/${id}`,
} as const;

interface Content {
  readonly body: string;
  readonly raw: string | null;
}

/** The content of a message as it is stored. */
export function sealedContent({ id, type }: Pick<MessageRow, 'id' | 'type'>, content: Content, vault: Vault): Content {
  if (!SEALED_TYPES.includes(type)) return content;
  const { body, raw } = content;
  return { body: vault.seal(place.body(id), body), raw: raw === null ? null : vault.seal(place.raw(id), raw) };
}

/** The content of a stored message. @throws UnreadableSecret */
export function openedContent(
  { id, type }: Pick<MessageRow, 'id' | 'type'>,
  content: Content,
  vault: Pick<Vault, 'open'>,
): Content {
  if (!SEALED_TYPES.includes(type)) return content;
  const { body, raw } = content;
  return { body: vault.open(place.body(id), body), raw: raw === null ? null : vault.open(place.raw(id), raw) };
}
