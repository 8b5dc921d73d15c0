/**
 * Masks secrets of a device in answers of the API to callers who may not change the device. With the claim token, such a caller
 * could send messages as the device; with the Bluetooth passkey, it could configure the device. A device prints both on request
 * (`info show`) and reports the passkey with its session. Stored shell answers may contain both as text, in a memory dump or as
 * raw bytes.
 *
 * Two rules find these secrets. In shell lines and fields, a value is masked if its name contains a word such as `passkey`. In
 * addition, a value is masked if it reveals the claim token (token-finder.ts).
 */
import { TIME_PATTERN } from '../../contract/values.js';
import { isObject } from '../../kernel/json-text.js';
import { printedWithoutSecrets, withoutSecrets } from '../../kernel/shell-secrets.js';
import type { DeviceRow, Id, ListedDevice, ListedMessage, Store } from '../store/store.js';
import { type Caller, mayChange, mayChangeAll } from './access.js';
import { TokenFinder } from './token-finder.js';

/** Stands in place of a secret. */
export const MASK = '********';

/** Names of fields, in session facts and in bodies, that contain a secret. */
const SECRET_FIELD = /passkey|claim_?token/i;

/** A secret with its name inside of a text, such as `"ble_passkey":"123456"`. */
const LABELLED = /((?:passkey|claim[ _-]?token)["'\\]*\s*[:=]\s*["'\\]*)[^"'\\,;\s}\]]+/gi;

/** Times of the API. A token that begins with zeros has the digits of midnight. */
const TIME = new RegExp(TIME_PATTERN);

export class Masking {
  readonly #token: TokenFinder | undefined;

  /** @param device the device whose secrets are masked; undefined if it was deleted, because its claim token is then erased */
  constructor(device: Pick<DeviceRow, 'token'> | undefined) {
    this.#token = device === undefined || device.token === '' ? undefined : new TokenFinder(device.token);
  }

  /** The message without secrets. Raw bytes that contain a secret are left out. */
  message<M extends ListedMessage>(row: M): M {
    const raw = row.raw !== null && this.#isTelling(row.raw) ? null : row.raw;
    return { ...row, raw, body: this.#value(byWords(row.type, row.body)) };
  }

  /** The value in which {@link MASK} replaces secrets, and the contents of fields with a name as in {@link SECRET_FIELD}. */
  value<T>(value: T): T {
    return this.#value(value) as T;
  }

  /** What has no secrets is not copied. */
  #value(value: unknown): unknown {
    if (typeof value === 'string') {
      if (TIME.test(value)) return value;
      return this.#isTelling(value) ? MASK : value.replace(LABELLED, `$1${MASK}`);
    }
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      // Lines of a dump, or bytes as numbers, may reveal the token only when they are joined.
      const isTelling = value.every((item) => typeof item !== 'object') && this.#isTelling(listText(value));
      const masked = value.map((item) => (isTelling ? MASK : this.#value(item)));
      return masked.every((item, at) => item === value[at]) ? value : masked;
    }
    const fields = Object.entries(value);
    const masked = fields.map(
      ([name, item]) => [this.#isTelling(name) ? MASK : name, this.#field(name, item)] as const,
    );
    const isSame = masked.every(([name, item], at) => name === fields[at]?.[0] && item === fields[at]?.[1]);
    return isSame ? value : Object.fromEntries(masked);
  }

  #field(name: string, value: unknown): unknown {
    return SECRET_FIELD.test(name) && value !== null ? MASK : this.#value(value);
  }

  #isTelling(text: string): boolean {
    return this.#token?.isIn(text) ?? false;
  }
}

/**
 * The masking for a device; undefined if the caller may change the device, and so may see its secrets.
 * @param device the device; with its claim token if the caller may not change it
 */
async function maskingFor(
  store: Store,
  caller: Caller,
  { tagIds, token }: Pick<ListedDevice, 'tagIds' | 'token'>,
): Promise<Masking | undefined> {
  if (await mayChange(store, caller, tagIds)) return undefined;
  if (token === undefined) throw new Error('a device of a list without its claim token cannot be masked');
  return new Masking({ token });
}

/** Fields of a device that have a fixed form. They stay as they are, even if a token contains the digits of a serial number. */
const FIXED: ReadonlySet<string> = new Set([
  ...['id', 'space_id', 'serial_number', 'health', 'config_hash', 'decoder_hash', 'encoder_hash'],
]);

/**
 * The views of devices of a list. The secrets of a device are masked if the caller may not change the device.
 * @param rows the devices; with their claim tokens if the caller may not change all devices
 */
export async function maskedViews<View extends object>(
  store: Store,
  caller: Caller,
  rows: readonly ListedDevice[],
  viewOf: (row: ListedDevice) => View,
): Promise<View[]> {
  if (mayChangeAll(caller)) return rows.map(viewOf);
  const views: View[] = [];
  for (const row of rows) {
    const view = viewOf(row);
    const masking = await maskingFor(store, caller, row);
    if (masking === undefined) views.push(view);
    else {
      const fixed = Object.fromEntries(Object.entries(view).filter(([name]) => FIXED.has(name)));
      views.push({ ...masking.value(view), ...fixed });
    }
  }
  return views;
}

/** Returns the maskings for the devices of a list, by id. Devices that the caller may change have none. */
export async function maskingsFor(
  store: Store,
  caller: Caller,
  deviceIds: Iterable<Id>,
): Promise<ReadonlyMap<Id, Masking>> {
  const maskings = new Map<Id, Masking>();
  if (mayChangeAll(caller)) return maskings;
  for (const id of new Set(deviceIds)) {
    const device = await store.device(caller.spaceId, id);
    const masking = device ? await maskingFor(store, caller, device) : new Masking(undefined);
    if (masking) maskings.set(id, masking);
  }
  return maskings;
}

/** A list as one text: bytes as hex digits, other items as lines. */
function listText(list: readonly unknown[]): string {
  const isByte = (item: unknown) => typeof item === 'number' && Number.isInteger(item) && item >= 0 && item <= 255;
  if (list.every(isByte)) return Buffer.from(list as readonly number[]).toString('hex');
  return list.join('\n');
}

/** The body of a message, with shell lines masked by the names in them. */
function byWords(type: string, body: unknown): unknown {
  switch (type) {
    case 'shell':
      return Array.isArray(body) ? lines(body) : answers(body);
    case 'config':
      return Array.isArray(body) ? lines(body) : body;
    default:
      return body;
  }
}

function lines(body: readonly unknown[]): readonly unknown[] {
  return body.map((line) => (typeof line === 'string' ? withoutSecrets(line) : line));
}

/** The body of a shell answer: `{message_id, responses: [{command, result, outputs}]}` (cloud C-31). */
function answers(body: unknown): unknown {
  if (!isObject(body) || !Array.isArray(body.responses)) return body;
  return { ...body, responses: body.responses.map(answer) };
}

function answer(response: unknown): unknown {
  if (!isObject(response) || !Array.isArray(response.outputs)) return response;
  const { command, result, outputs } = response;
  const line = typeof command === 'string' ? command : '';
  const texts = outputs.map(String);
  const code = typeof result === 'number' ? result : 0;
  return { ...response, command: withoutSecrets(line), outputs: printedWithoutSecrets(line, code, texts) };
}
