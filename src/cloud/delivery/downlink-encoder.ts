/** Encodes stored downlinks for the wire. What can never be encoded is rejected when it is queued, while the user waits. */

import type { Clock } from '../../kernel/clock.js';
import { messageOf } from '../../kernel/errors.js';
import { seconds } from '../../kernel/time.js';
import { encodeDown, LONGEST_VALUE } from '../../protocol/messages/index.js';
import type { Updates } from '../firmware/updates.js';
import { DownlinkRefused } from '../interfaces/downlinks.js';
import type { DeviceRow, MessageRow, Store, WaitingRow } from '../store/store.js';
import type { Codecs } from './codecs.js';
import { buildDownMessage } from './down-messages.js';

interface DownlinkEncoderOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly codecs: Codecs;
  readonly updates: Updates;
}

export class DownlinkEncoder {
  readonly #options: DownlinkEncoderOptions;

  constructor(options: DownlinkEncoderOptions) {
    this.#options = options;
  }

  /**
   * Returns the encoded message of a downlink.
   * @throws Error with the reason if it cannot be encoded
   */
  async encode({ id, encoderHash }: DeviceRow, row: WaitingRow): Promise<Uint8Array> {
    const { clock, codecs, updates } = this.#options;
    if (row.type === 'firmware') return encodeDown(await updates.chunk(row));
    const encoder = row.type === 'data' && encoderHash ? await codecs.get(encoderHash, id) : undefined;
    return encodeDown(buildDownMessage('body' in row ? row : await this.#readWhole(row), clock.wall, encoder));
  }

  /** Returns the body of a downlink, reading a long one from the store; undefined if its device has just been deleted. */
  async readBody(row: WaitingRow): Promise<unknown> {
    if ('body' in row) return row.body;
    return (await this.#options.store.message(row.spaceId, row.id))?.body;
  }

  /**
   * Rejects a downlink that would never be offered, or would be cancelled when the device asks for it. For an accepted
   * downlink, returns why it cannot be offered yet, or undefined if it can.
   * @throws DownlinkRefused
   */
  async refuseUnsendable(device: DeviceRow, row: MessageRow): Promise<'no encoder' | undefined> {
    const { store, clock, codecs } = this.#options;
    const needsEncoder = row.type === 'data' && row.raw === null;
    const fresh = needsEncoder ? await store.device(device.spaceId, device.id) : undefined;
    const encoder = fresh?.encoderHash ? await codecs.get(fresh.encoderHash, fresh.id) : undefined;
    if (needsEncoder && encoder === undefined) {
      if (fresh && (await this.#lacksEncoderForGood(fresh))) throw new DownlinkRefused(NO_ENCODER, 'no-encoder');
      refuseLong(row);
      return 'no encoder';
    }
    try {
      encodeDown(buildDownMessage(row, clock.wall, encoder));
    } catch (error) {
      throw new DownlinkRefused(messageOf(error));
    }
    return undefined;
  }

  /**
   * Whether the firmware of the device has no usable encoder. At the beginning of a session, a device uploads its encoder
   * first, then its configuration and data (wire W-51). After any of the three has arrived, only a firmware update can bring
   * another encoder.
   */
  async #lacksEncoderForGood(device: DeviceRow): Promise<boolean> {
    const { id, spaceId, encoderHash } = device;
    const isComplete = encoderHash !== null || (await this.#hasStarted(device));
    return isComplete && (await this.#options.updates.current({ id, spaceId })) === undefined;
  }

  /** Whether the device sent configuration or data in a session of this registration. JSON without codecs has no sessions. */
  async #hasStarted({ id, spaceId, sessionId }: DeviceRow): Promise<boolean> {
    const query = { deviceId: id, types: ['config', 'data'], direction: 'up', limit: 1 } as const;
    const [latest] = await this.#options.store.messages(spaceId, query);
    if (latest === undefined) return false;
    const hasNoCodecs = latest.type === 'data' && latest.codecHash === null;
    return hasNoCodecs || (sessionId !== null && latest.createdAt >= seconds(sessionId));
  }

  async #readWhole({ spaceId, id }: WaitingRow): Promise<MessageRow> {
    const row = await this.#options.store.message(spaceId, id);
    if (row === undefined) throw new Error('the device has been deleted');
    return row;
  }
}

const NO_ENCODER =
  'the firmware of this device has no encoder for data: send shell commands, or the bytes for the application as "raw"';

/** Rejects JSON that is longer than a message, while the device has not uploaded its encoder. */
function refuseLong({ body }: MessageRow): void {
  const length = Buffer.byteLength(JSON.stringify(body));
  if (length <= LONGEST_VALUE) return;
  throw new DownlinkRefused(
    `the body is ${length} bytes of JSON; at most ${LONGEST_VALUE} are accepted until the device has uploaded its encoder`,
  );
}
