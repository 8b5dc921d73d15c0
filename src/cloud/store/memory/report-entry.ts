/**
 * A report in the memory store, without the fields that follow from its device or are the same for all reports: a day of 100,000
 * devices has 4.8 million. Its row is made when it is read, which few are.
 */
import type { UnixMillis } from '../../../kernel/time.js';
import { EncodedBody } from '../encoded-body.js';
import type { DeviceRow, Id, MessageRow } from '../store.js';

type ReportRow = MessageRow & { readonly body: EncodedBody };

/** Whether a row is that of a report with an encoded body. Such a row never changes. */
export function isReport(row: MessageRow): row is ReportRow {
  return row.body instanceof EncodedBody && row.type === 'data' && row.direction === 'up' && row.raw === null;
}

/** The entry of a device. */
interface Sender {
  readonly id: Id;
  readonly row: Pick<DeviceRow, 'spaceId'>;
}

export class ReportEntry<Device extends Sender> {
  readonly id: Id;
  readonly device: Device;
  readonly #createdAt: UnixMillis;
  readonly #body: EncodedBody;
  readonly #codecHash: string | null;
  readonly #fingerprint: string | null;

  constructor({ id, createdAt, body, codecHash, fingerprint }: ReportRow, device: Device) {
    this.id = id;
    this.device = device;
    this.#createdAt = createdAt;
    this.#body = body;
    this.#codecHash = codecHash;
    this.#fingerprint = fingerprint;
  }

  get row(): ReportRow {
    return {
      id: this.id,
      spaceId: this.device.row.spaceId,
      deviceId: this.device.id,
      createdAt: this.#createdAt,
      type: 'data',
      direction: 'up',
      body: this.#body,
      codecHash: this.#codecHash,
      raw: null,
      fingerprint: this.#fingerprint,
      downState: null,
      downStateAt: null,
      downScheduledAt: null,
      downAttempt: 0,
      downAnsweredAt: null,
    };
  }
}
