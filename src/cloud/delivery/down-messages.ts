/** Converts downlinks: from requests to stored bodies, and from stored bodies to messages (cloud C-31; wire W-44). */
import type { UnixMillis } from '../../kernel/time.js';
import type { Codec } from '../../protocol/codec.js';
import { encodeBody } from '../../protocol/encode.js';
import type { DownMessage } from '../../protocol/messages/index.js';
import { uuidBytes } from '../../protocol/uuid.js';
import type { DownlinkRequest } from '../interfaces/downlinks.js';
import { type MessageRow, NO_CODEC } from '../store/store.js';

/** The stored body of a user's request, as shown in lists. */
export function requestBody(request: DownlinkRequest): unknown {
  switch (request.type) {
    case 'config':
      return request.lines;
    case 'shell':
      return request.commands;
    case 'data':
      return 'raw' in request ? null : request.body;
    default:
      return request satisfies never;
  }
}

/** The stored body of a session response. The time is added when the response is offered (wire W-37). */
export interface SessionBody {
  readonly session_id: number;
  readonly decoder_hash: string | null;
  readonly encoder_hash: string | null;
  readonly config_hash: string | null;
  readonly device_id: string;
  readonly device_name: string;
}

/**
 * Returns the message for a stored downlink.
 * @param encoder codec that encodes the device's data downlinks
 * @throws Error for a data downlink without an encoder, or an unknown type
 */
export function buildDownMessage(
  row: Pick<MessageRow, 'id' | 'type' | 'body' | 'raw'>,
  now: UnixMillis,
  encoder: Codec | undefined,
): DownMessage {
  // The casts are safe because a row of a type is always created from a request or a session body of that type.
  switch (row.type) {
    case 'config':
      return { kind: 'download-config', lines: row.body as readonly string[] };
    case 'shell':
      return { kind: 'download-shell', commands: row.body as readonly string[], messageId: uuidBytes(row.id) };
    case 'data':
      if (row.raw !== null) return { kind: 'download-data', hash: NO_CODEC, body: Buffer.from(row.raw, 'hex') };
      if (encoder === undefined) throw new Error('the device has not uploaded its encoder');
      return { kind: 'download-data', hash: encoder.hash, body: encodeBody(encoder, row.body as object) };
    case 'session':
      return buildSessionMessage(row.body as SessionBody, now);
    case 'timestamp':
      return { kind: 'set-timestamp', timestamp: Math.floor(now / 1000) };
    default:
      throw new Error(`unknown downlink type "${row.type}"`);
  }
}

function buildSessionMessage(body: SessionBody, now: UnixMillis): DownMessage {
  return {
    kind: 'set-session',
    sessionId: body.session_id,
    timestamp: Math.floor(now / 1000),
    deviceId: body.device_id,
    deviceName: body.device_name,
    ...(body.decoder_hash && { decoderHash: body.decoder_hash }),
    ...(body.encoder_hash && { encoderHash: body.encoder_hash }),
    ...(body.config_hash && { configHash: body.config_hash }),
  };
}
