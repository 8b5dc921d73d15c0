/** From a stored downlink to the message that goes over the wire; what can never become one is refused while somebody listens. */
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

  /** The bytes of a downlink. @throws Error that says why there are none */
  async pack({ encoderHash }: DeviceRow, row: WaitingRow): Promise<Uint8Array> {
    const { clock, codecs, updates } = this.#options;
    if (row.type === 'firmware') return encodeDown(await updates.chunk(row));
    const encoder = row.type === 'data' && encoderHash ? await codecs.get(encoderHash) : undefined;
    return encodeDown(downMessage('body' in row ? row : await this.#whole(row), clock.wall, encoder));
  }

  /** The body of a downlink, also when it is a long one; undefined when its device has just been deleted. */
  async bodyOf(row: WaitingRow): Promise<unknown> {
    if ('body' in row) return row.body;
    return (await this.#options.store.message(row.spaceId, row.id))?.body;
  }

  /** Tells the user now what would otherwise be cancelled when the device asks for it. @throws DownlinkRefused */
  async refuseUnsendable(device: DeviceRow, row: MessageRow): Promise<void> {
    const { store, clock, codecs } = this.#options;
    const fresh = row.type === 'data' ? await store.device(device.spaceId, device.id) : undefined;
    const encoder = fresh?.encoderHash ? await codecs.get(fresh.encoderHash) : undefined;
    // A device that has not been heard yet may still bring the encoder that its downlinks need.
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

/** An encoder makes a body shorter, nobody knows by how much; what is longer than a message to begin with is too much to bet on. */
function refuseLong({ body }: MessageRow): void {
  const length = Buffer.byteLength(JSON.stringify(body));
  if (length <= LONGEST_VALUE) return;
  throw new DownlinkRefused(
    `the body has ${length} bytes as JSON; at most ${LONGEST_VALUE} are possible until the device has uploaded its encoder`,
  );
}
