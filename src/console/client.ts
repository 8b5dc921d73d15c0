/** The end of a console that sits in the user's terminal: finds runs, attaches to one, and asks. */
import { createConnection, type Socket } from 'node:net';
import type { EdgeClock } from '../kernel/clock.js';
import { UsageError } from '../kernel/errors.js';
import { seconds } from '../kernel/time.js';
import { forgetPlace, knownPlaces, type Place } from './places.js';
import {
  type FromRun,
  type Greeting,
  Lines,
  type News,
  parsed,
  type Reply,
  type Request,
  readGreeting,
} from './protocol.js';

/** A request without its number. */
type Question = Request extends infer R ? (R extends Request ? Omit<R, 'id'> : never) : never;

/** How long a run may take to greet: it may be busy, but not for that long. */
const PATIENCE = seconds(3);

/** What {@link Connection.ended} settles with when it was this side that ended it. */
export const LEFT = 'the console has left';

/** What is to be waited for after a question. */
interface Asked {
  /** Number of devices that were asked. @throws UsageError when the run refuses */
  readonly done: Promise<number>;
  /** Every command has come to its end as well. Never rejects. */
  readonly finished: Promise<void>;
}

interface Open {
  readonly take: (reply: Reply) => void;
  readonly settle: (end: number | Error) => void;
  readonly finish: () => void;
  /** Devices whose command goes on. */
  readonly going: Set<string>;
  isDone: boolean;
}

export class Connection {
  readonly greeting: Greeting;
  /** Settles when the run has gone, with what it said last. */
  readonly ended: Promise<string>;
  readonly #socket: Socket;
  readonly #open = new Map<number, Open>();
  #next = 1;
  #bye = 'the run is gone';
  #gone = false;
  #onNews: (news: News) => void = () => {};

  constructor(socket: Socket, greeting: Greeting, lines: Lines, received: readonly string[]) {
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

  /** Calls `handler` for what happens on the devices that are followed. */
  onNews(handler: (news: News) => void): void {
    this.#onNews = handler;
  }

  /** Asks for something; `take` gets the replies as they come. */
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
    this.#open.set(id, { take, settle, finish, going: new Set(), isDone: false });
    if (this.#gone) {
      settle(new UsageError('run-gone', this.#bye));
      finish();
    } else this.#socket.write(`${JSON.stringify({ id, ...question })}\n`);
    return { done, finished };
  }

  /** Leaves; the run is not to blame. */
  close(): void {
    this.#bye = LEFT;
    this.#socket.destroy();
  }

  #take(line: string): void {
    // Because the greeting has the version, which determines the messages.
    const message = parsed(line) as unknown as FromRun;
    if ('bye' in message) this.#bye = message.bye;
    else if ('event' in message) this.#onNews(message);
    else this.#reply(message);
  }

  #reply(reply: Reply): void {
    const open = this.#open.get(reply.id);
    if (open === undefined) return;
    if ('refused' in reply) open.settle(new UsageError('refused', reply.refused, reply.hint));
    else if ('done' in reply) open.settle(reply.done);
    else open.take(reply);
    if ('from' in reply && reply.more) open.going.add(reply.from);
    else if ('from' in reply) open.going.delete(reply.from);
    else if ('refused' in reply || 'done' in reply) open.isDone = true;
    if (!open.isDone || open.going.size > 0) return;
    open.finish();
    this.#open.delete(reply.id);
  }
}

/** Attaches to every run of the user that answers; clears the sockets of dead ones away. The caller closes what it gets. */
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
    const lines = new Lines();
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
