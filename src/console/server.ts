/**
 * Lets consoles attach to a run: listens at the place of the run, and executes their requests.
 *
 * Consoles must not slow down a run. A request is executed in small parts, between which the run continues. If a console does
 * not read, its request waits, and events for it are counted instead of sent. While a request is executed, the server reads no
 * further requests of that console.
 */
import { createServer, type Server, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { pathInside } from '../input/text-file.js';
import { pause } from '../kernel/deadline.js';
import { GhostfleetError, messageOf } from '../kernel/errors.js';
import { RealClock } from '../kernel/real-clock.js';
import type { Millis } from '../kernel/time.js';
import { parseSelector } from '../scenario/selector/grammar.js';
import { makeMatcher } from '../scenario/selector/match.js';
import type { TraceEvent } from '../trace/events.js';
import { carryOut, completions, type LineOptions } from './line.js';
import type { Answer, Fleet, Member } from './member.js';
import { type Place, protect } from './places.js';
import {
  type FromRun,
  type Greeting,
  LineSplitter,
  LONGEST_REQUEST,
  type Request,
  readRequest,
  VERSION,
} from './protocol.js';

interface ConsoleServerOptions {
  readonly place: Place;
  readonly fleet: Fleet;
  /** Reads a file with an absolute path. */
  readonly readText: (path: string) => string;
}

/** Limit of attached consoles. */
const MOST_CONSOLES = 16;
/** Unsent bytes above which a console counts as slow. */
const BACKLOG = 1 << 20;
/** Unsent bytes above which a console is disconnected: late output of commands cannot be held back. */
const MOST_BACKLOG = 16 << 20;
/** How many devices are compared with a selector, and how many execute a request, before the run continues. */
const COMPARED_AT_ONCE = 512;
const ASKED_AT_ONCE = 16;
/** Pause in which the run continues. */
const SHORT: Millis = 1;
/** Pause in which a slow console can read. */
const LONG: Millis = 20;

export class ConsoleServer {
  readonly #options: ConsoleServerOptions;
  readonly #server: Server;
  readonly #consoles = new Set<Attached>();
  /** The clock for pauses. It is a real clock, because pauses do not depend on the speed of the run. */
  readonly #clock = new RealClock();

  /** Listens at the place. @throws Error if that fails */
  static async open(options: ConsoleServerOptions): Promise<ConsoleServer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(options.place.path, resolve);
    });
    protect(options.place);
    return new ConsoleServer(options, server);
  }

  private constructor(options: ConsoleServerOptions, server: Server) {
    this.#options = options;
    this.#server = server;
    server.on('connection', (socket) => this.#welcome(socket));
    // An error must not stop the run; it then continues without consoles.
    server.on('error', () => {});
    // The server must not keep the process of a finished run alive.
    server.unref();
  }

  /** Passes an event of the run to the consoles that follow its device. */
  take(event: TraceEvent): void {
    if (this.#consoles.size === 0) return;
    for (const each of this.#consoles) each.take(event);
  }

  /** Sends a last message to all consoles and closes the connections, without waiting for them. */
  close(reason: string): void {
    this.#server.close();
    for (const each of this.#consoles) each.end(reason);
    this.#consoles.clear();
  }

  #welcome(socket: Socket): void {
    const { place, fleet } = this.#options;
    const welcomed = new Attached(socket, this.#options, this.#clock);
    socket.on('close', () => this.#consoles.delete(welcomed));
    if (this.#consoles.size >= MOST_CONSOLES) return welcomed.end(`${MOST_CONSOLES} consoles are attached already`);
    this.#consoles.add(welcomed);
    welcomed.greet({ ghostfleet: VERSION, run: place.run, name: fleet.name, devices: fleet.size });
  }
}

type Done = Omit<Extract<FromRun, { done: number }>, 'id'>;

class Attached {
  readonly #socket: Socket;
  readonly #options: ConsoleServerOptions;
  readonly #clock: RealClock;
  readonly #lines = new LineSplitter(LONGEST_REQUEST);
  /** Settles when all requests so far are executed. */
  #work = Promise.resolve();
  /** Names of the followed devices, by serial number. */
  #followed: ReadonlyMap<number, string> | undefined;
  #skipped = 0;
  #ended = false;

  constructor(socket: Socket, options: ConsoleServerOptions, clock: RealClock) {
    this.#socket = socket;
    this.#options = options;
    this.#clock = clock;
    socket.setEncoding('utf8');
    socket.on('error', () => socket.destroy());
    socket.on('data', (text: string) => this.#hear(text));
  }

  greet(greeting: Greeting): void {
    this.#write(greeting);
  }

  take(event: TraceEvent): void {
    if (this.#followed === undefined || !('serial' in event)) return;
    const from = this.#followed.get(event.serial);
    if (from === undefined) return;
    if (this.#socket.writableLength > BACKLOG) {
      this.#skipped++;
      return;
    }
    this.#send({ event, from, ...(this.#skipped > 0 && { skipped: this.#skipped }) });
    this.#skipped = 0;
  }

  /** Sends a last message. Does not wait until the console has read it: the process may end first. */
  end(reason: string): void {
    this.#send({ bye: reason });
    this.#ended = true;
    this.#socket.destroySoon();
    this.#socket.unref();
  }

  #hear(text: string): void {
    try {
      for (const line of this.#lines.take(text)) {
        const request = readRequest(line);
        this.#socket.pause();
        this.#work = this.#work.then(() => this.#serve(request)).then(() => void this.#socket.resume());
      }
    } catch (error) {
      this.end(messageOf(error));
    }
  }

  async #serve(request: Request): Promise<void> {
    const { id } = request;
    try {
      this.#send({ id, ...(await this.#carryOut(request)) });
    } catch (error) {
      const message = messageOf(error);
      const hint = error instanceof GhostfleetError ? error.hint : undefined;
      this.#send({ id, refused: message, ...(hint !== undefined && { hint }) });
    }
  }

  async #carryOut(request: Request): Promise<Done> {
    switch (request.do) {
      case 'line':
        return this.#forEach(request.on, (member) => this.#run(request, member));
      case 'list':
        return this.#forEach(request.on, (member) => this.#send({ id: request.id, device: described(member) }));
      case 'complete':
        return this.#forEach(request.on, (member) => {
          this.#send({ id: request.id, words: completions(member, request.line) });
          return 'enough';
        });
      case 'follow': {
        const followed = new Map<number, string>();
        if (request.on !== null) {
          await this.#forEach(request.on, ({ serial, name }) => void followed.set(serial, name));
        }
        this.#followed = followed.size > 0 ? followed : undefined;
        return { done: followed.size };
      }
      default:
        return request satisfies never;
    }
  }

  async #run({ id, line, secrets, folder, inside }: Extract<Request, { do: 'line' }>, member: Member): Promise<void> {
    const { readText, fleet } = this.#options;
    const readFile = (file: string) => {
      const path = inside ? pathInside(folder, file, `is not in the folder "${folder}"`) : resolve(folder, file);
      return { file, text: readText(path) };
    };
    const answer = (part: Answer): void => this.#send({ id, from: member.name, ...part });
    const noted: LineOptions['noted'] = (action, call) => fleet.noted(member.serial, action, call);
    await carryOut(member, line, { secrets, readFile, noted }, answer);
  }

  /**
   * Calls `action` for every selected device and counts these. The run continues meanwhile: each device is compared
   * with the selector just before its `action`. Stops after the first device for which `action` returns `enough`.
   */
  async #forEach(on: string, action: (member: Member) => Promise<void> | 'enough' | void): Promise<Done> {
    const { fleet } = this.#options;
    const selected = makeMatcher(parseSelector(on, fleet.tags), {
      devices: { [Symbol.iterator]: () => fleet.members()[Symbol.iterator]() },
      random: fleet.random,
    });
    let compared = 0;
    let uncompared = 0;
    let asked = 0;
    for (const member of fleet.members()) {
      if (this.#gone) break;
      if (++compared % COMPARED_AT_ONCE === 0) await this.#pause(SHORT);
      const isSelected = selected(member);
      if (isSelected === undefined) uncompared++;
      if (!isSelected) continue;
      const result = action(member);
      asked++;
      if (result === 'enough') break;
      await result;
      if (asked % ASKED_AT_ONCE === 0) await this.#pause(SHORT);
      while (this.#socket.writableLength > BACKLOG && !this.#gone) await this.#pause(LONG);
    }
    return { done: asked, ...(uncompared > 0 && { uncompared }) };
  }

  get #gone(): boolean {
    return this.#ended || this.#socket.destroyed;
  }

  #pause(duration: Millis): Promise<boolean> {
    return pause({ clock: this.#clock, limit: duration, what: 'a pause of a console' });
  }

  #send(message: FromRun): void {
    this.#write(message);
  }

  #write(message: FromRun | Greeting): void {
    const { writableLength, writable } = this.#socket;
    if (!writable) return;
    if (writableLength > MOST_BACKLOG) this.#socket.destroy();
    else this.#socket.write(`${JSON.stringify(message)}\n`);
  }
}

/** The fields of a device for the output of `.list`, without secrets and functions. */
function described({ name, serial, group, profile, tags, fw, battery, state }: Member) {
  return { name, serial, group, profile, tags, fw, battery, state };
}
