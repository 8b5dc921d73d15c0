/** DOWNLOAD_SHELL and UPLOAD_SHELL: commands for the device's shell, and their outputs (wire W-55). */
import { CborWriter } from '../cbor.js';
import { MessageError } from './error.js';
import { Fields, isText, mapIn } from './fields.js';
import { rejectLongLines, textsOf, writeLines } from './lines.js';

export interface DownloadShell {
  readonly kind: 'download-shell';
  /** Lines of at most 255 bytes each. */
  readonly commands: readonly string[];
  /** The 16 bytes of a UUID; the answer contains the same. */
  readonly messageId: Uint8Array;
}

export interface UploadShell {
  readonly kind: 'upload-shell';
  readonly messageId: Uint8Array;
  /** One for each command. */
  readonly responses: readonly ShellResponse[];
}

interface ShellResponse {
  readonly command: string;
  /** Result code, see errno.ts. */
  readonly result: number;
  readonly lines: readonly string[];
}

/** Length in bytes of the ids of shell messages and firmware updates. */
export const ID_BYTES = 16;

export function writeDownloadShell({ commands, messageId }: DownloadShell): Uint8Array {
  const writer = new CborWriter();
  writer.mapOf(2);
  writer.key(0);
  writeLines(writer, commands);
  writer.key(1);
  writer.bytes(messageId);
  return writer.finish();
}

export function readDownloadShell(value: Uint8Array): DownloadShell {
  const map = mapIn(value, 'DOWNLOAD_SHELL');
  const [first] = map.keys();
  if (first !== 0) throw new MessageError('malformed', 'DOWNLOAD_SHELL does not begin with its commands');
  const fields = Fields.strict(map, [0, 1], 'DOWNLOAD_SHELL');
  const commands = textsOf(fields.list(0) ?? [], 'DOWNLOAD_SHELL');
  rejectLongLines(commands, 'DOWNLOAD_SHELL');
  const messageId = fields.bytes(1) ?? new Uint8Array(ID_BYTES);
  if (messageId.length !== ID_BYTES) {
    throw new MessageError('malformed', `DOWNLOAD_SHELL has an id of ${messageId.length} bytes, not ${ID_BYTES}`);
  }
  return { kind: 'download-shell', commands, messageId };
}

export function writeUploadShell({ messageId, responses }: UploadShell): Uint8Array {
  const writer = new CborWriter();
  writer.beginMap();
  writer.key(1);
  writer.bytes(messageId);
  writer.key(0);
  writer.beginArray();
  for (const { command, result, lines } of responses) {
    writer.beginMap();
    writer.key(0);
    writer.text(command);
    if (result !== 0) {
      writer.key(1);
      writer.int(result);
    }
    writer.key(2);
    writer.beginArray();
    for (const line of lines) writer.text(line);
    writer.endArray();
    writer.endMap();
  }
  writer.endArray();
  writer.endMap();
  return writer.finish();
}

export function readUploadShell(value: Uint8Array): UploadShell {
  const fields = Fields.loose(mapIn(value, 'UPLOAD_SHELL'));
  const responses = (fields.list(0) ?? [])
    .filter((item) => item instanceof Map)
    .map((item) => {
      const response = Fields.loose(item);
      return {
        command: response.text(0) ?? '',
        result: response.int(1) ?? 0,
        lines: (response.list(2) ?? []).filter(isText),
      };
    });
  return { kind: 'upload-shell', messageId: fields.bytes(1) ?? new Uint8Array(ID_BYTES), responses };
}
