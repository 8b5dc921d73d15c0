/** Sends the requests of loads over HTTP. */

import type { Alarm } from '../../kernel/clock.js';
import { UsageError } from '../../kernel/errors.js';
import { RealClock } from '../../kernel/real-clock.js';
import { REQUEST_HEADERS } from '../../kernel/request-headers.js';
import { seconds } from '../../kernel/time.js';
import { apiBase, shownAddress } from '../../kernel/web-address.js';
import type { CallRequest } from '../../scenario/load/calls.js';
import type { Failed } from '../../transport/transport.js';
import { Connection, OpenAnswers, type RequestText, type ResultHandler } from './connection.js';

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
  /** Called for each request that this machine could not send. */
  readonly failed?: Failed | undefined;
}

type Headers = Readonly<Record<string, string>>;

export function makeHttpCalls(options: CallSenderOptions): CallSender {
  const { baseUrl, apiKey, connections, answers = new OpenAnswers(), failed } = options;
  const base = apiBase(baseUrl);
  if (base === undefined) throw new UsageError('bad-url', `"${shownAddress(baseUrl)}" is not the address of an API`);
  const { origin, prefix } = base;
  const own = { accept: 'application/json', ...REQUEST_HEADERS, 'x-api-key': apiKey, ...base.headers };
  const write = writerOf(prefix, { host: new URL(origin).host, connection: 'keep-alive', ...own });
  const opened: Connection[] = [];
  const free: Connection[] = [];
  const clock = new RealClock();
  let alarm: Alarm | undefined;
  const tick = () => {
    const isAnyOpen = opened.map((connection) => connection.tick()).includes(true);
    alarm = isAnyOpen ? clock.after(seconds(1), TICK, tick) : undefined;
  };
  const open = (): Connection => {
    if (opened.length === connections) throw new RangeError(`more than ${connections} concurrent requests`);
    const connection = new Connection(origin, answers, failed);
    opened.push(connection);
    return connection;
  };
  return {
    send: (request, done) => {
      const connection = free.pop() ?? open();
      alarm ??= clock.after(seconds(1), TICK, tick);
      connection.send(write(request), (result) => {
        free.push(connection);
        done(result);
      });
    },
    // Aborts open requests: the load has already counted them as open at the end.
    close: async () => {
      alarm?.cancel();
      for (const connection of opened) connection.close();
    },
  };
}

const TICK = 'the connections of a load';

/** Visible signs of ASCII. A blank would end the path. */
const PATH = /^[\x21-\x7e]+$/;
const NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @returns writes a request; undefined if a sign in its path or headers is not allowed there */
function writerOf(prefix: string, usual: Headers): (request: CallRequest) => RequestText | undefined {
  const ofReading = linesOf(usual);
  const withJson = { ...usual, 'content-type': 'application/json' };
  const ofWriting = linesOf(withJson);
  return ({ method, path: given, body, headers, bodiless = false }) => {
    const path = given.replace(/[^\0-\x7f]+/g, (letters) => encodeURIComponent(letters.toWellFormed()));
    const [known, knownLines] = body === undefined ? [usual, ofReading] : [withJson, ofWriting];
    const lines = headers === undefined ? knownLines : linesOf(replaceHeaders(known, headers));
    if (lines === undefined || !PATH.test(path)) return undefined;
    const first = `${method} ${prefix}${path} HTTP/1.1\r\n${lines}`;
    if (body === undefined && method === 'GET') return { head: `${first}\r\n`, body: '', bodiless };
    return { head: `${first}content-length: ${Buffer.byteLength(body ?? '')}\r\n\r\n`, body: body ?? '', bodiless };
  };
}

/** Headers of a request take the place of the usual ones, and its credential that of the key. */
function replaceHeaders({ 'x-api-key': key, ...usual }: Headers, own: Headers): Headers {
  const hasKey = key !== undefined && !Object.hasOwn(own, 'authorization');
  return { ...usual, ...(hasKey && { 'x-api-key': key }), ...own };
}

function linesOf(headers: Headers): string | undefined {
  const entries = Object.entries(headers);
  if (!entries.every(([name, value]) => NAME.test(name) && VALUE.test(value))) return undefined;
  return entries.map(([name, value]) => `${name}: ${value}\r\n`).join('');
}
