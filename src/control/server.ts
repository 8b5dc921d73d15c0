/**
 * The port of a run for the web console. It serves the console, passes API requests on to the cloud of the run, and answers
 * requests below `/run` (control of the run) and `/scenarios` itself. So the console can control the run while its cloud is
 * down.
 *
 * Control needs a session that began with a one-time token of this run, from a page of this port. An API key is not enough: it
 * gives access to the cloud, not to the run.
 */

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hashKey } from '../cloud/accounts/keys.js';
import { malformed, readJsonBody } from '../cloud/http/body.js';
import { ApiFault } from '../cloud/http/errors.js';
import { hasTwoHosts, isHost, LOCAL_HOSTS, SAFE_HEADERS } from '../cloud/http/host-guard.js';
import { cookieSecret, needSameOrigin, sessionCookie } from '../cloud/http/session-cookie.js';
import { endWithClient, limitedServer, whenOver } from '../cloud/http/sockets.js';
import { ConsoleFiles } from '../cloud/web/files.js';
import { consoleFile } from '../cloud/web/pages.js';
import { GhostfleetError, messageOf } from '../kernel/errors.js';
import { isObject } from '../kernel/json-text.js';
import { RealClock } from '../kernel/real-clock.js';
import { portRefused } from '../kernel/system-errors.js';
import type { RunControls } from './controls.js';
import { type Destination, passOn } from './proxy.js';
import { HtmlPage, type Parts } from './route.js';
import { findRoute, isOfRun } from './routes.js';
import type { RunEnded } from './run-state.js';
import type { Scenarios } from './scenarios.js';
import type { TargetDoor } from './target-door.js';

/** Where a server listens. */
export interface Place {
  /** IP address, or `localhost`. */
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
}

const LOOPBACK: Place = { host: '127.0.0.1', port: 0 };
const SESSION = '/console/session';
interface RunServerParts {
  readonly controls: RunControls;
  readonly scenarios: Scenarios;
  /** Address of the embedded cloud of the run, or the door to another cloud. */
  readonly cloud: string | TargetDoor;
  /** Whether a session of the embedded cloud is open, also while the cloud is down. */
  readonly hasSession: (secret: string) => Promise<boolean>;
  /** Called when a user with control has signed out: the next user needs another address with a new one-time token. */
  readonly signedOut?: (() => void) | undefined;
  /** Folder with the built console. Default: the pages come from the cloud. */
  readonly webConsole?: string;
  /** Default: a free port of the loopback interface. */
  readonly place?: Place | undefined;
}

/** Longest wait for clients that do not read the last part of an answer, in real milliseconds. */
const LAST_WORDS = 500;

/** Most bytes of an answer to one of {@link QUEUES}: it repeats the request, which has at most 1 MiB. */
const LARGEST_QUEUED = 2 * 1_048_576;

/** Paths of requests that queue a downlink. */
const QUEUES = /^\/v2\/spaces\/[^/]+\/devices\/[^/]+\/(commands|configs|downlinks)$/;

/** Most connections. A page of the console has about ten, each with one to the cloud: requests are handled in turn. */
const MOST_CONNECTIONS = 200;

/** Longest body of a request, in bytes. */
const LONGEST_BODY = 65_536;

export class RunServer {
  readonly #server: Server;
  readonly #controls: RunControls;
  readonly #scenarios: Scenarios;
  readonly #cloud: Destination;
  readonly #door: TargetDoor | undefined;
  readonly #files: ConsoleFiles | undefined;
  readonly #signedOut: () => void;
  readonly #hasSession: RunServerParts['hasSession'];
  /** Hashes of the cookies of sessions that began with a one-time token. */
  readonly #sessions = new Set<string>();
  readonly #clock = new RealClock();
  readonly #open = new Set<ServerResponse>();
  /** Open answers of another cloud. */
  readonly #fromTarget = new Set<ServerResponse>();
  /** Answers that arrive in parts. */
  readonly #lasting = new Set<Lines>();

  /** @throws UsageError if the port cannot be opened */
  static async open(parts: RunServerParts): Promise<RunServer> {
    const { host, port } = parts.place ?? LOOPBACK;
    const run = new RunServer(parts);
    const server = run.#server;
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => reject(portRefused(`port ${port}`, host, error)));
      server.listen(port, host, resolve);
    });
    return run;
  }

  private constructor(parts: RunServerParts) {
    const { controls, scenarios, cloud, hasSession, webConsole, signedOut = () => {} } = parts;
    this.#server = limitedServer((request, response) => void this.#serve(request, response), {
      connections: { all: MOST_CONNECTIONS, each: MOST_CONNECTIONS },
      patience: this.#clock,
    });
    this.#controls = controls;
    this.#scenarios = scenarios;
    this.#door = typeof cloud === 'string' ? undefined : cloud;
    this.#cloud = typeof cloud === 'string' ? { url: new URL(cloud) } : cloud.cloud;
    this.#hasSession = hasSession;
    this.#door?.over.addEventListener('abort', () => {
      for (const response of this.#fromTarget) response.destroy();
    });
    this.#signedOut = signedOut;
    this.#files = webConsole === undefined ? undefined : new ConsoleFiles(webConsole);
    // The port must not keep the process of a finished run alive.
    this.#server.unref();
  }

  /**
   * The address of the console at this port, for this machine: one-time tokens are for no other one.
   * @param link address of the console at the cloud, with a one-time token
   */
  link(link: string): string {
    // The cast is safe because a server that listens on a port has such an address.
    const { port, address } = this.#server.address() as AddressInfo;
    const { pathname, hash } = new URL(link);
    return `http://${address === '::1' ? '[::1]' : LOOPBACK.host}:${port}${pathname}${hash}`;
  }

  /** @param last what the pages that follow the run learn from its end */
  async close(last: RunEnded): Promise<void> {
    await this.#say(last);
    for (const response of this.#open) response.destroy();
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#controls.travel?.close();
    await this.#scenarios.close();
  }

  /** Ends the answers that arrive in parts with a last part. Waits at most {@link LAST_WORDS} for clients that do not read. */
  async #say(last: RunEnded): Promise<void> {
    await new Promise<void>((resolve) => {
      const alarm = this.#clock.after(LAST_WORDS, 'the last part of the answers', resolve);
      void Promise.all([...this.#lasting].map((lines) => lines.end(last))).then(() => {
        alarm.cancel();
        resolve();
      });
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on('error', () => {});
    this.#open.add(response);
    whenOver(response, () => this.#open.delete(response));
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    try {
      if (hasTwoHosts(request)) throw new ApiFault(400, 'the request has more than one header Host', 'two-hosts');
      if (path === SESSION && request.method === 'POST') return await this.#beginSession(request, response);
      if (path === SESSION && request.method === 'DELETE') return this.#endSession(request, response);
      if (request.method === 'GET' && (await this.#page(path, response))) return;
      // Ages in the console of a user without control are by the dates of answers. Another cloud has a time of its own.
      if (!this.#door) {
        response.setHeader('date', new Date(this.#controls.wall).toUTCString());
        response.setHeader('x-speed', String(this.#controls.speed));
      }
      // The embedded cloud checks the session itself.
      if (!isOfRun(path) && !this.#door) return passOn(request, response, this.#cloud);
      await this.#needControl(request);
      if (path.startsWith('/v2/')) return await this.#passToTarget(path, request, response);
      await this.#control(request, response);
    } catch (error) {
      refuse(response, error);
    }
  }

  /** Sends a file of the console, available while the cloud is down. False for another path. */
  async #page(path: string, response: ServerResponse): Promise<boolean> {
    const found = this.#files && (await consoleFile(this.#files, path));
    if (!found) return false;
    const { file, headers } = found;
    response.writeHead(200, { ...headers, 'content-type': file.type });
    response.end(file.bytes);
    return true;
  }

  async #passToTarget(path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#door?.over.aborted) throw new ApiFault(410, 'the run is over', 'run-over');
    this.#fromTarget.add(response);
    whenOver(response, () => this.#fromTarget.delete(response));
    if (QUEUES.test(path) && request.method === 'POST') return await this.#passQueuing(request, response);
    passOn(request, response, this.#cloud);
  }

  /** Passes on a request that queues a downlink at another cloud, so that the run knows of the downlink. */
  async #passQueuing(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bodyOf(request);
    const answered = (answer: IncomingMessage) => {
      if (answer.statusCode !== 201) return;
      const pieces: Buffer[] = [];
      let bytes = 0;
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > LARGEST_QUEUED) answer.destroy(new Error('the answer is too large'));
        else pieces.push(piece);
      });
      answer.on('end', () => this.#door?.queued(Buffer.concat(pieces).toString(), body));
    };
    passOn(request, response, this.#cloud, { body, answered });
  }

  /** Passes the sign-in on to the cloud, and remembers the cookie of a session that began with a one-time token. */
  async #beginSession(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = parsed(await bodyOf(request));
    const isWithToken = 'token' in given;
    if (isWithToken && 'credential' in given) throw new ApiFault(400, 'give either "token" or "credential"');
    if (this.#door) return this.#beginOwnSession(request, response, this.#door, given.token);
    passOn(request, response, this.#cloud, {
      // What was checked here is what the cloud gets.
      body: JSON.stringify(given),
      answered: ({ statusCode, headers }) => {
        const secret = /^[^=]+=([^;]+)/.exec(headers['set-cookie']?.[0] ?? '')?.[1];
        if (isWithToken && statusCode === 201 && secret !== undefined) this.#sessions.add(hashKey(secret));
      },
    });
  }

  #beginOwnSession(request: IncomingMessage, response: ServerResponse, door: TargetDoor, token: unknown): void {
    needLocal(request);
    needSameOrigin(request);
    const { secret, maxAge, answer } = door.begin(token);
    this.#sessions.add(hashKey(secret));
    response.setHeader('set-cookie', sessionCookie(request.headers, secret, { secure: false, maxAge }));
    json(response, 201, answer);
  }

  /** Passes the sign-out to the cloud. Without the session with control, a user needs another address: `signedOut`. */
  #endSession(request: IncomingMessage, response: ServerResponse): void {
    const secret = cookieSecret(request.headers) ?? '';
    const hash = hashKey(secret);
    if (this.#door) {
      needSameOrigin(request);
      this.#door.end(secret);
      if (this.#sessions.delete(hash)) this.#signedOut();
      response.setHeader('set-cookie', sessionCookie(request.headers, '', { secure: false, maxAge: 0 }));
      return json(response, 204, undefined);
    }
    passOn(request, response, this.#cloud, {
      answered: ({ statusCode }) => {
        if (statusCode === 204 && this.#sessions.delete(hash)) this.#signedOut();
      },
    });
  }

  /** @throws ApiFault */
  async #needControl(request: IncomingMessage): Promise<void> {
    needLocal(request);
    const { method, headers } = request;
    const secret = cookieSecret(headers);
    if (secret === undefined || !(await this.#isOpen(secret))) {
      throw new ApiFault(401, 'the control of the run needs the address that the run has printed', 'no-control');
    }
    needSameOrigin({ method, headers });
  }

  /**
   * Whether a session with control is still open. It ends when it ends in the cloud, for example because the user signs out.
   * @throws ApiFault 503 if its database cannot be read
   */
  async #isOpen(secret: string): Promise<boolean> {
    const hash = hashKey(secret);
    if (!this.#sessions.has(hash)) return false;
    if (this.#door) return this.#door.isOpen(secret);
    const isOpen = await this.#hasSession(secret).catch((error) => {
      throw new ApiFault(503, `the database of the run's cloud cannot be read: ${messageOf(error)}`, 'down');
    });
    if (!isOpen) this.#sessions.delete(hash);
    return isOpen;
  }

  async #control(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://run');
    const route = findRoute(request.method ?? 'GET', pathname);
    const text = request.method === 'POST' ? await bodyOf(request) : '';
    const lines = new Lines(response);
    this.#lasting.add(lines);
    response.once('close', () => this.#lasting.delete(lines));
    const answer = await route.handle({
      controls: this.#controls,
      scenarios: this.#scenarios,
      clock: this.#clock,
      id: route.id,
      query: Object.fromEntries(searchParams),
      body: parsed(text),
      lines,
    });
    if (response.headersSent) response.end();
    else if (answer instanceof HtmlPage) page(response, answer);
    else json(response, route.status, answer);
  }
}

/** @throws ApiFault 403 if the request is not from this machine by its header `Host` */
function needLocal({ headers }: IncomingMessage): void {
  if (isHost(headers.host, LOCAL_HOSTS)) return;
  throw new ApiFault(403, 'this run is only available on its machine', 'foreign-host');
}

/** An answer that arrives in parts: JSON objects, one a line. */
class Lines implements Parts {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  /** Whether the client has gone. */
  get isOver(): boolean {
    return this.#response.destroyed;
  }

  send(value: unknown): void {
    if (!this.#response.headersSent) {
      endWithClient(this.#response);
      this.#response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8' });
    }
    if (!this.isOver && !this.#response.writableEnded) this.#response.write(`${JSON.stringify(value)}\n`);
  }

  /** Sends a last part, if parts have been sent. The promise resolves when the part is on its way, or the client has gone. */
  async end(value: unknown): Promise<void> {
    if (!this.#response.headersSent || this.isOver || this.#response.writableEnded) return;
    await new Promise<void>((resolve) => {
      this.#response.once('close', resolve).end(`${JSON.stringify(value)}\n`, resolve);
    });
  }
}

/** @throws ApiFault 413 if the body is too long, 400 if it is not UTF-8 */
async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  // A body that is too long is read to its end as well, so that the connection can serve the next request.
  for await (const piece of request) {
    size += piece.length;
    if (size <= LONGEST_BODY) pieces.push(piece);
  }
  if (size > LONGEST_BODY) throw new ApiFault(413, `the body is longer than ${LONGEST_BODY} bytes`);
  const body = Buffer.concat(pieces);
  if (!isUtf8(body)) throw new ApiFault(400, 'the body is not valid UTF-8');
  return body.toString();
}

/** @throws ApiFault 400 unless the text is empty or a JSON object */
function parsed(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  const read = readJsonBody(text, 'body');
  if ('fault' in read) throw read.fault ?? malformed(text);
  if (isObject(read.value)) return { ...read.value };
  throw new ApiFault(400, 'the body must be a JSON object');
}

/** The page has an origin of its own, so that its script could not use the session. */
function page(response: ServerResponse, { html }: HtmlPage): void {
  const headers = { ...SAFE_HEADERS, 'content-security-policy': 'sandbox allow-scripts' };
  response.writeHead(200, { ...headers, 'content-type': 'text/html; charset=utf-8' });
  response.end(html);
}

function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { ...SAFE_HEADERS, 'content-type': 'application/json; charset=utf-8' });
  response.end(value === undefined ? undefined : JSON.stringify(value));
}

function refuse(response: ServerResponse, error: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const message = messageOf(error);
  if (error instanceof ApiFault) {
    return json(response, error.statusCode, { statusCode: error.statusCode, message, code: error.code });
  }
  // Wrong input is a fault of the caller (400), any other error a fault of the run (500).
  const statusCode = error instanceof GhostfleetError ? 400 : 500;
  json(response, statusCode, { statusCode, message, ...(error instanceof GhostfleetError && { code: error.code }) });
}
