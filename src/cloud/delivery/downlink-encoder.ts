/**
 * Encodes stored downlinks as messages for the wire. A downlink that can never be encoded is rejected when it is
 * queued, while the user still waits for the response.
 */
import type { Clock } from '../../kernel/clock.js';
import { encodeDown, LONGEST_VALUE } from '../../protocol/messages/index.js';
import type { Updates } from '../firmware/updates.js';
import { DownlinkRefused } from '../ports/downlinks.js';
import type { DeviceRow, MessageRow, Store, WaitingRow } from '../store/store.js';
import type { Codecs } from './codecs.js';
import { downMessage } from './down-messages.js';

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
  async encode({ encoderHash }: DeviceRow, row: WaitingRow): Promise<Uint8Array> {
    const { clock, codecs, updates } = this.#options;
    if (row.type === 'firmware') return encodeDown(await updates.chunk(row));
    const encoder = row.type === 'data' && encoderHash ? await codecs.get(encoderHash) : undefined;
    return encodeDown(downMessage('body' in row ? row : await this.#whole(row), clock.wall, encoder));
  }

  /**
   * Returns the body of a downlink, reading a long one from the store; undefined if its device has just been deleted.
   */
  async bodyOf(row: WaitingRow): Promise<unknown> {
    if ('body' in row) return row.body;
    return (await this.#options.store.message(row.spaceId, row.id))?.body;
  }

  /**
   * Rejects a downlink that would be cancelled when the device asks for it.
   * @throws DownlinkRefused
   */
  async refuseUnsendable(device: DeviceRow, row: MessageRow): Promise<void> {
    const { store, clock, codecs } = this.#options;
    const fresh = row.type === 'data' ? await store.device(device.spaceId, device.id) : undefined;
    const encoder = fresh?.encoderHash ? await codecs.get(fresh.encoderHash) : undefined;
    // A device that has not connected yet may still upload the encoder that its downlinks need.
    if (row.type === 'data' && encoder === undefined) return refuseLong(row);
    try {
      encodeDown(downMessage(row, clock.wall, encoder));
    } catch (error) {
      throw new DownlinkRefused(error instanceof Error ? error.message : String(error));
    }
  }

  async #whole({ spaceId, id }: WaitingRow): Promise<MessageRow> {
    const row = await this.#options.store.message(spaceId, id);
    if (row === undefined) throw new Error('the device has been deleted');
    return row;
  }
}

/** Rejects a body that is longer than a message before encoding: the encoder shortens it by an unknown amount. */
function refuseLong({ body }: MessageRow): void {
  const length = Buffer.byteLength(JSON.stringify(body));
  if (length <= LONGEST_VALUE) return;
  throw new DownlinkRefused(
    `the body is ${length} bytes of JSON; at most ${LONGEST_VALUE} are accepted until the device has uploaded its encoder`,
  );
}
