/** Sends the requests of loads over HTTP. */

import { buildConnector } from 'undici';
import { UNCOMPRESSED } from '../../kernel/content-coding.js';
import { UsageError } from '../../kernel/errors.js';
import { apiBase, shownAddress } from '../../kernel/web-address.js';
import type { CallRequest } from '../../scenario/load/calls.js';
import { Connection, OpenAnswers, type ResultHandler, WriteBatch } from './connection.js';

export interface CallSender {
  /**
   * Sends a request.
   * @param done called once, after the return of this function. It may send the next request.
   */
  send(request: CallRequest, done: ResultHandler): void;
  close(): Promise<void>;
}

interface CallSenderOptions {
  readonly baseUrl: string;
  /** Secret. */
  readonly apiKey: string;
  /** Maximum number of concurrent requests. */
  readonly connections: number;
  /** Shared by the senders of a run. Default: for this sender alone. */
  readonly answers?: OpenAnswers;
}

export function makeHttpCalls(options: CallSenderOptions): CallSender {
  const { baseUrl, apiKey, connections, answers = new OpenAnswers() } = options;
  const base = apiBase(baseUrl);
  if (base === undefined) throw new UsageError('bad-url', `"${shownAddress(baseUrl)}" is not the address of an API`);
  const { origin, prefix } = base;
  const own = { accept: 'application/json', ...UNCOMPRESSED, 'x-api-key': apiKey, ...base.headers };
  const reading = Object.entries(own).flat();
  const writing = [...reading, 'content-type', 'application/json'];
  const connect = buildConnector({});
  const batch = new WriteBatch();
  const opened: Connection[] = [];
  const free: Connection[] = [];
  const open = (): Connection => {
    if (opened.length === connections) throw new RangeError(`more than ${connections} concurrent requests`);
    const connection = new Connection(origin, connect, batch, answers);
    opened.push(connection);
    return connection;
  };
  return {
    send: ({ method, path, body, headers: given }, done) => {
      const connection = free.pop() ?? open();
      const usual = body === undefined ? reading : writing;
      const headers = given === undefined ? usual : replaceHeaders(usual, given);
      const request = { path: prefix + path, method, headers, body: body ?? null, blocking: false };
      connection.send(request, (result) => {
        free.push(connection);
        done(result);
      });
    },
    // Aborts open requests: the load has already counted them as open at the end.
    close: async () => {
      await Promise.all(opened.map((connection) => connection.close()));
    },
  };
}

/** @param usual names and values in turn */
function replaceHeaders(usual: readonly string[], given: Readonly<Record<string, string>>): string[] {
  const kept = usual.filter((_, i) => !Object.hasOwn(given, usual[i - (i % 2)] ?? ''));
  return [...kept, ...Object.entries(given).flat()];
}
