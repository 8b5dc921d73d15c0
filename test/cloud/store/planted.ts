/** Rows with a secret in every place where a store encrypts, and a search for these secrets in files. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Store } from '../../../src/cloud/store/store.js';
import { device, downlink, furnish, insert, message, record, SPACE } from './rows.js';

/** Secrets that must not be found in clear. */
export const SECRETS = {
  token: '00112233445566778899aabbccddee01',
  passkey: '914207',
  variable: 'VARIABLE-5f1c',
  header: 'HEADER-88aa',
  psk: 'c0ffee00c0ffee00c0ffee00c0ffee00',
  answer: 'ANSWER-31be',
  command: 'COMMAND-77d2',
  raw: 'feedfacecafebeef',
} as const;

export const PLANTED = device(1, {
  token: SECRETS.token,
  sessionId: 7,
  session: { ble_passkey: SECRETS.passkey },
});
export const ANSWER = message(1, { type: 'shell', body: { responses: [SECRETS.answer, SECRETS.token] } });
export const UNREAD = message(2, { type: 'session', body: null, raw: SECRETS.raw });
export const COMMAND = downlink(3, { type: 'shell', body: [`config key ${SECRETS.command}`] });
export const RECORDS = [
  record(1, { key: 'a', body: { value: SECRETS.variable } }),
  record(2, { family: 'connector', key: 'b', body: { transformation: `headers: "${SECRETS.header}"` } }),
  record(3, { family: 'secret', key: null, body: { type: 'psk', secret: SECRETS.psk } }),
];

/** Fills a new store with {@link SECRETS}. */
export async function plant(store: Store): Promise<void> {
  await furnish(store, [PLANTED]);
  await store.commit([ANSWER, UNREAD, COMMAND].map(insert.message));
  await store.commit(RECORDS.map(insert.record));
}

/** The rows with {@link SECRETS} as a store returns them; equal for every store that `plant` has filled. */
export async function harvest(store: Store): Promise<unknown> {
  return {
    device: await store.deviceBySerial(PLANTED.serial),
    messages: await Promise.all([ANSWER, UNREAD].map(({ id }) => store.message(SPACE, id))),
    pending: await store.pendingDownlinks(PLANTED.id),
    records: await Promise.all(RECORDS.map(({ family, id }) => store.record(family, SPACE, id))),
  };
}

/**
 * Finds secrets in the files whose path begins with `path`: as text, as the bytes of a hexadecimal text, or as base64. Each
 * entry of the result names the secret and the file.
 */
export function foundIn(path: string, secrets: Readonly<Record<string, string>> = SECRETS): readonly string[] {
  const files = readdirSync(dirname(path), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => file.startsWith(path));
  return files.flatMap((file) => {
    const content = readFileSync(file);
    return Object.entries(secrets).flatMap(([name, secret]) => {
      const forms = [
        Buffer.from(secret),
        Buffer.from(secret, 'hex'),
        Buffer.from(Buffer.from(secret).toString('base64')),
      ];
      return forms.some((form) => form.length > 3 && content.includes(form)) ? [`${name} in ${file}`] : [];
    });
  });
}
