/** The content of a message as lines: JSON of bodies, texts of shell and configuration, facts of sessions. */

import { isError } from '../kernel/errors.js';
import { countOf } from '../kernel/quantity.js';
import { printedWithoutSecrets, withoutSecrets } from '../kernel/shell-secrets.js';
import { CborError, decodeCbor } from '../protocol/cbor.js';
import { type Codec, CodecError, readCodec } from '../protocol/codec.js';
import { decodeBody } from '../protocol/decode.js';
import { configHash, type Hash } from '../protocol/hashes.js';
import { type DownMessage, MessageError, parseDown, parseUp, type UpMessage } from '../protocol/messages/index.js';
import { uuidText } from '../protocol/uuid.js';
import { jsonLines } from './json-lines.js';

export interface MessageTextOptions {
  /** The decoder with a hash; the messages themselves may contain further ones. */
  readonly decoderOf: (hash: Hash) => Codec | undefined;
  /** Whether to show claim tokens, keys and passwords as they are. */
  readonly secrets: boolean;
}

const MASK = '********';

/** Formats messages in order. A repeated configuration is shown by its differences, repeated session facts as `as before`. */
export class MessageText {
  readonly #options: MessageTextOptions;
  readonly #uploaded = new Map<Hash, Codec>();
  #configuration: readonly string[] | undefined;
  #identity = '';

  constructor(options: MessageTextOptions) {
    this.#options = options;
  }

  /** One line with the reason for a message that cannot be read. */
  of(bytes: Uint8Array, way: 'up' | 'down'): readonly string[] {
    try {
      return way === 'up' ? this.#up(parseUp(bytes)) : this.#down(parseDown(bytes));
    } catch (error) {
      const isExpected = [MessageError, CborError, CodecError].some((kind) => error instanceof kind);
      if (isError(error) && isExpected) return [`malformed: ${error.message}`];
      throw error;
    }
  }

  #up(message: UpMessage): readonly string[] {
    switch (message.kind) {
      case 'create-session':
        return this.#session(message.session);
      case 'get-timestamp':
        return [];
      case 'upload-config':
        return this.#config(
          message.lines.map((line) => this.#shown(line)),
          message.hash,
          configHash(message.lines),
        );
      case 'upload-decoder':
      case 'upload-encoder': {
        const codec = readCodec(message.document);
        this.#uploaded.set(codec.hash, codec);
        return codecLines(codec);
      }
      case 'upload-stats':
        return jsonLines(message.stats);
      case 'upload-data':
        return this.#data(message.hash, message.body);
      case 'upload-shell':
        return [
          `id ${uuidText(message.messageId)}`,
          ...message.responses.flatMap(({ command, result, lines }) => [
            `> ${this.#shown(command)}${result === 0 ? '' : ` → ${result}`}`,
            ...this.#printed(command, result, lines).map((line) => `  ${JSON.stringify(line)}`),
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
        return message.lines.map((line) => this.#shown(line));
      case 'download-data':
        return [`encoder ${message.hash}`, `by key: ${keyed(message.body)}`];
      case 'download-shell':
        return [`id ${uuidText(message.messageId)}`, ...message.commands.map((command) => `> ${this.#shown(command)}`)];
      case 'download-firmware': {
        const { kind: _, updateId, data, ...rest } = message;
        return jsonLines({ ...rest, updateId: uuidText(updateId), length: data.length });
      }
      default:
        return message satisfies never;
    }
  }

  #shown(line: string): string {
    return this.#options.secrets ? line : withoutSecrets(line);
  }

  #printed(command: string, result: number, lines: readonly string[]): readonly string[] {
    return this.#options.secrets ? lines : printedWithoutSecrets(command, result, lines);
  }

  #data(hash: Hash, body: Uint8Array): readonly string[] {
    const decoder = this.#uploaded.get(hash) ?? this.#options.decoderOf(hash);
    if (decoder === undefined) return [`decoder ${hash}, unknown`, Buffer.from(body).toString('hex')];
    return [`decoder ${hash}`, ...jsonLines(decodeBody(decoder, body))];
  }

  #session(session: { readonly ble_passkey?: string }): readonly string[] {
    const before = this.#identity;
    this.#identity = JSON.stringify(session);
    if (this.#identity === before) return ['as before'];
    const hides = !this.#options.secrets && session.ble_passkey !== undefined;
    return jsonLines(hides ? { ...session, ble_passkey: MASK } : session);
  }

  #config(lines: readonly string[], hash: string, computed: string): readonly string[] {
    const before = this.#configuration;
    this.#configuration = lines;
    const proof = computed === hash ? 'of these lines' : 'of more than these lines';
    const head = `hash ${hash}, ${proof}`;
    if (before === undefined) return [head, ...lines];
    const [old, now] = [new Set(before), new Set(lines)];
    return [
      `${head}; of ${countOf(lines.length, 'line')}, these are new:`,
      ...before.filter((line) => !now.has(line)).map((line) => `- ${line}`),
      ...lines.filter((line) => !old.has(line)).map((line) => `+ ${line}`),
    ];
  }
}

function codecLines({ document, hash, keys }: Codec): readonly string[] {
  return [
    `hash ${hash}: ${document.name}, version ${document.version}, ${document.type} of ${countOf(keys.length, 'key')}`,
  ];
}

function keyed(body: Uint8Array): string {
  const map = decodeCbor(body);
  return map instanceof Map ? [...map].map(([key, value]) => `${key} = ${value}`).join(', ') : String(map);
}
