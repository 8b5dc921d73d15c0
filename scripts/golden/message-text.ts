/** The content of a message as lines: JSON of bodies, texts of shell and configuration, facts of sessions. */

import type { Profile } from '../../src/profile/profile.js';
import { decodeCbor } from '../../src/protocol/cbor.js';
import { type Codec, readCodec } from '../../src/protocol/codec.js';
import { decodeBody } from '../../src/protocol/decode.js';
import { configHash } from '../../src/protocol/hashes.js';
import { type DownMessage, parseDown, parseUp, type UpMessage } from '../../src/protocol/messages/index.js';
import { uuidText } from '../../src/protocol/uuid.js';
import { jsonLines } from './json-lines.js';

/** Formats messages in order. A repeated configuration is shown by its differences, repeated session facts as `as before`. */
export class MessageText {
  readonly #profile: Profile;
  #configuration: readonly string[] | undefined;
  #identity = '';

  constructor(profile: Profile) {
    this.#profile = profile;
  }

  of(bytes: Uint8Array, way: 'up' | 'down'): readonly string[] {
    return way === 'up' ? this.#up(parseUp(bytes)) : this.#down(parseDown(bytes));
  }

  #up(message: UpMessage): readonly string[] {
    switch (message.kind) {
      case 'create-session':
        return this.#session(message.session);
      case 'get-timestamp':
        return [];
      case 'upload-config':
        return this.#config(message.lines, message.hash);
      case 'upload-decoder':
      case 'upload-encoder':
        return codecLines(readCodec(message.document));
      case 'upload-stats':
        return jsonLines(message.stats);
      case 'upload-data':
        return [`decoder ${message.hash}`, ...jsonLines(decodeBody(this.#profile.decoder, message.body))];
      case 'upload-shell':
        return [
          `id ${uuidText(message.messageId)}`,
          ...message.responses.flatMap(({ command, result, lines }) => [
            `> ${command}${result === 0 ? '' : ` → ${result}`}`,
            ...lines.map((line) => `  ${JSON.stringify(line)}`),
          ]),
        ];
      case 'upload-firmware': {
        const { kind: _, updateId, ...rest } = message;
        return jsonLines({ ...rest, ...(updateId && { updateId: uuidText(updateId) }) });
      }
      default:
        return message satisfies never;
    }
  }

  #down(message: DownMessage): readonly string[] {
    switch (message.kind) {
      case 'set-session':
      case 'set-timestamp': {
        const { kind: _, ...rest } = message;
        return jsonLines(rest);
      }
      case 'download-config':
        return message.lines;
      case 'download-data':
        return [`encoder ${message.hash}`, `by key: ${keyed(message.body)}`];
      case 'download-shell':
        return [`id ${uuidText(message.messageId)}`, ...message.commands.map((command) => `> ${command}`)];
      case 'download-firmware': {
        const { kind: _, updateId, data, ...rest } = message;
        return jsonLines({ ...rest, updateId: uuidText(updateId), length: data.length });
      }
      default:
        return message satisfies never;
    }
  }

  #session(session: object): readonly string[] {
    const before = this.#identity;
    this.#identity = JSON.stringify(session);
    return this.#identity === before ? ['as before'] : jsonLines(session);
  }

  #config(lines: readonly string[], hash: string): readonly string[] {
    const before = this.#configuration;
    this.#configuration = lines;
    const proof = configHash(lines) === hash ? 'of these lines' : 'of more than these lines';
    const head = `hash ${hash}, ${proof}`;
    if (before === undefined) return [head, ...lines];
    return [
      `${head}; of ${lines.length} lines, these are new:`,
      ...before.filter((line) => !lines.includes(line)).map((line) => `- ${line}`),
      ...lines.filter((line) => !before.includes(line)).map((line) => `+ ${line}`),
    ];
  }
}

function codecLines({ document, hash, keys }: Codec): readonly string[] {
  return [`hash ${hash}: ${document.name}, version ${document.version}, ${document.type} of ${keys.length} keys`];
}

function keyed(body: Uint8Array): string {
  const map = decodeCbor(body);
  return map instanceof Map ? [...map].map(([key, value]) => `${key} = ${value}`).join(', ') : String(map);
}
