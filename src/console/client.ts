/** The console's side of a connection to a run: finds runs, attaches to them, and sends requests. */
import { createConnection, type Socket } from 'node:net';
import type { EdgeClock } from '../kernel/clock.js';
import { UsageError } from '../kernel/errors.js';
import { seconds } from '../kernel/time.js';
import { forgetPlace, knownPlaces, type Place } from './places.js';
import {
  type FromRun,
  type Greeting,
  LineSplitter,
  type News,
  parsed,
  type Reply,
  type Request,
  readGreeting,
} from './protocol.js';

/** A request without its `id`. */
type Question = Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never;

/** Time limit for the greeting of a run, which may be busy. */
const PATIENCE = seconds(3);

/** The value of {@link Connection.ended} if the console closed the connection. */
export const LEFT = 'the console has left';

/** The progress of a request. */
interface Asked {
  /** Resolves with the number of devices that got the request. Rejects with a UsageError if the run refuses it or ends. */
  readonly done: Promise<number>;
  /** Resolves when the command has finished on every device. Never rejects. */
  readonly finished: Promise<void>;
}

interface Open {
  readonly take: (reply: Reply) => void;
  readonly settle: (end: number | Error) => void;
  readonly finish: () => void;
  /** Devices on which the command is still running. */
  readonly running: Set<string>;
  isDone: boolean;
}

export class Connection {
  readonly greeting: Greeting;
  /** Resolves when the connection has ended: with the last message of the run, or with {@link LEFT}. */
  readonly ended: Promise<string>;
  readonly #socket: Socket;
  readonly #open = new Map<number, Open>();
  #next = 1;
  #bye = 'the run is gone';
  #gone = false;
  #onNews: (news: News) => void = () => {};

  constructor(socket: Socket, greeting: Greeting, lines: LineSplitter, received: readonly string[]) {
    this.#socket = socket;
    this.greeting = greeting;
    for (const line of received) this.#take(line);
    socket.removeAllListeners('data');
    socket.on('data', (text: string) => {
      for (const line of lines.take(text)) this.#take(line);
    });
    this.ended = new Promise((resolve) => {
      socket.on('close', () => {
        this.#gone = true;
        for (const open of this.#open.values()) {
          open.settle(new UsageError('run-gone', this.#bye));
          open.finish();
        }
        resolve(this.#bye);
      });
    });
  }

  /** Calls `handler` for events of the followed devices. */
  onNews(handler: (news: News) => void): void {
    this.#onNews = handler;
  }

  /** Sends a request; `take` is called for each reply. */
  ask(question: Question, take: (reply: Reply) => void): Asked {
    const id = this.#next++;
    let settle: Open['settle'] = () => {};
    let finish: Open['finish'] = () => {};
    const done = new Promise<number>((resolve, reject) => {
      settle = (end) => (typeof end === 'number' ? resolve(end) : reject(end));
    });
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    this.#open.set(id, { take, settle, finish, running: new Set(), isDone: false });
    if (this.#gone) {
      settle(new UsageError('run-gone', this.#bye));
      finish();
    } else this.#socket.write(`${JSON.stringify({ id, ...question })}\n`);
    return { done, finished };
  }

  /** Closes the connection; {@link ended} resolves with {@link LEFT}. */
  close(): void {
    this.#bye = LEFT;
    this.#socket.destroy();
  }

  #take(line: string): void {
    // The cast is safe because the version in the greeting determines the form of the messages.
    const message = parsed(line) as unknown as FromRun;
    if ('bye' in message) this.#bye = message.bye;
    else if ('event' in message) this.#onNews(message);
    else this.#reply(message);
  }

  #reply(reply: Reply): void {
    const open = this.#open.get(reply.id);
    if (open === undefined) return;
    if ('refused' in reply) open.settle(new UsageError('refused', reply.refused, reply.hint));
    else open.take(reply);
    if ('done' in reply) open.settle(reply.done);
    if ('from' in reply && reply.more) open.running.add(reply.from);
    else if ('from' in reply) open.running.delete(reply.from);
    else if ('refused' in reply || 'done' in reply) open.isDone = true;
    if (!open.isDone || open.running.size > 0) return;
    open.finish();
    this.#open.delete(reply.id);
  }
}

/** Attaches to every run of the user that answers, and deletes the sockets of ended runs. The caller closes the connections. */
export async function findRuns(
  env: Readonly<Record<string, string | undefined>>,
  clock: EdgeClock,
): Promise<readonly Connection[]> {
  const found = await Promise.all(knownPlaces(env).map((place) => attach(place, clock)));
  return found.filter((connection) => connection !== undefined);
}

function attach(place: Place, clock: EdgeClock): Promise<Connection | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(place.path);
    const lines = new LineSplitter();
    const patience = clock.after(PATIENCE, 'the greeting of a run', () => socket.destroy());
    socket.setEncoding('utf8');
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // Stale socket: the process that listened on it has ended without removing it.
      if (error.code === 'ECONNREFUSED') forgetPlace(place);
    });
    socket.on('close', () => {
      patience.cancel();
      resolve(undefined);
    });
    socket.on('data', (text: string) => {
      const [first, ...rest] = lines.take(text);
      if (first === undefined) return;
      patience.cancel();
      const greeting = readGreeting(first);
      if (greeting) resolve(new Connection(socket, greeting, lines, rest));
      else socket.destroy();
    });
  });
}
