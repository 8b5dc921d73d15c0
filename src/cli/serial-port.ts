/**
 * Serial ports of virtual devices, for programs that are made for the shell of a real one: over TCP, or as a pseudo-terminal of
 * the program socat. The bytes are those of the real shell: no prompt, no echo, no colours, and CR LF after every line (shell
 * S-2). Only one program can have a port over TCP open; a pseudo-terminal is as open as a real one.
 */
import { spawn } from 'node:child_process';
import { existsSync, lstatSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LINE_TOO_LONG } from '../console/line.js';
import type { Answer, Member } from '../console/member.js';
import { UsageError } from '../kernel/errors.js';
import { printableLine } from '../kernel/printable.js';
import { RealClock } from '../kernel/real-clock.js';
import { printedWithoutSecrets, withoutSecrets } from '../kernel/shell-secrets.js';
import { cannotWrite, portRefused } from '../kernel/system-errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import { ENOMEM } from '../protocol/errno.js';
import { type Host, withoutSettings } from './host.js';
import { formatAddress, type HostAndPort, localPort, parseHostAndPort } from './values.js';

/** A port over TCP, or a pseudo-terminal; `path`: the link to it. */
type SerialPlace =
  | { readonly kind: 'tcp'; readonly at: HostAndPort }
  | { readonly kind: 'pty'; readonly path?: string };

/** The port of a device. */
export interface SerialRequest {
  /** Name of the device; undefined if the command has only one. */
  readonly device: string | undefined;
  readonly place: SerialPlace;
}

/** For messages: what {@link parseSerialPort} expects. */
export const SERIAL_PORT_FORM = 'tcp:HOST:PORT or pty, such as "tcp:127.0.0.1:7001"';

/** Reads `tcp:127.0.0.1:7001` (port 0 takes a free one), `pty`, `pty:/tmp/clime`, and each of them after `NAME=`. */
export function parseSerialPort(text: string): SerialRequest | undefined {
  const [, device, kind, rest] = /^(?:([^=:]+)=)?(tcp|pty)(?::(.+))?$/.exec(text) ?? [];
  if (kind === 'pty') return { device, place: { kind, ...(rest !== undefined && { path: rest }) } };
  const at = kind === undefined ? undefined : parseHostAndPort(rest ?? '', localPort);
  return at && { device, place: { kind: 'tcp', at } };
}

interface SerialOptions {
  /** The device; undefined as long as it does not exist. */
  readonly memberOf: (name: string) => Member | undefined;
  /** Whether to show claim tokens, keys and passwords as they are. */
  readonly secrets: boolean;
  /** Called with each executed line, without secrets. */
  readonly noted: (member: Member, line: string) => void;
  readonly host: Pick<Host, 'err' | 'env'>;
}

/**
 * Opens the serial ports of devices, and prints where they are.
 * @param only the device of requests without a name
 * @returns a function that closes them
 * @throws UsageError if a port is in use, or socat is not installed
 */
export async function openSerialPorts(
  requests: readonly SerialRequest[],
  options: SerialOptions,
  only?: string,
): Promise<() => void> {
  const closers: (() => void)[] = [];
  const close = () => {
    for (const closer of closers.splice(0)) closer();
  };
  try {
    for (const { device = only ?? '', place } of requests) {
      const server = new SerialServer(() => options.memberOf(device), options);
      closers.push(() => server.close());
      const address = await openAt(place, device, server, options.host, closers);
      options.host.err.write(`serial port of ${device} at ${address}\n`);
    }
  } catch (error) {
    close();
    throw error;
  }
  return close;
}

/** Returns where programs find the port. */
async function openAt(
  place: SerialPlace,
  name: string,
  server: SerialServer,
  { env, err }: SerialOptions['host'],
  closers: (() => void)[],
): Promise<string> {
  if (place.kind === 'tcp') return formatAddress({ ...place.at, port: await server.listen(place.at) });
  const port = await server.listen({ host: '127.0.0.1', port: 0 });
  const path = place.path ?? join(tmpdir(), `ghostfleet-${name}`);
  checkLink(path);
  const failed = (sentence: string) => err.write(`ghostfleet: ${sentence}\n`);
  const terminal = await PseudoTerminal.open({ path, port, env, failed });
  closers.push(() => terminal.close());
  return path;
}

/** Characters with a meaning for socat. */
const OF_SOCAT = /[,!:"'\\(){}[\]]/;

/** socat replaces what is at the path. @throws UsageError for a path that is not free */
function checkLink(path: string): void {
  const sign = OF_SOCAT.exec(path);
  if (sign !== null) {
    throw new UsageError(
      'bad-serial-port',
      `the path "${printableLine(path)}" contains ${sign[0]}, which socat cannot use`,
    );
  }
  // A link without a terminal is left by a device that was killed.
  if (!existsSync(path) && isFreeOrLink(path)) return;
  throw new UsageError('bad-serial-port', `"${path}" exists already`, 'remove it, or choose another path: pty:PATH');
}

/** @throws UsageError for a path that cannot be read, such as one behind a link to itself */
function isFreeOrLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? true;
  } catch (error) {
    throw cannotWrite(`the link "${path}"`, error);
  }
}

/**
 * The first line of a request by HTTP. A web page in the browser of the user can send requests to ports on the user's machine,
 * with lines of its own after this one.
 */
const HTTP = /^[A-Z]+ \S+ HTTP\/\d/;

/** How long a connection may be silent until the operating system asks ten times, each second, for the other end. */
const KEEP_ALIVE_AFTER = seconds(30);
/** Unsent bytes above which a program that does not read is disconnected. */
const MOST_BACKLOG = 1 << 20;
/** Characters of a line that are kept; the shell rejects lines that are much shorter. */
const LONGEST = 4096;
const [BACKSPACE, LF, CR, CTRL_C, DELETE] = ['\b', '\n', '\r', '\u0003', '\u007f'];

class SerialServer {
  readonly #member: () => Member | undefined;
  readonly #options: SerialOptions;
  readonly #server: Server;
  #open: Socket | undefined;

  constructor(member: () => Member | undefined, options: SerialOptions) {
    this.#member = member;
    this.#options = options;
    // A program that has vanished without an end, as with its machine, must not hold the port.
    const lasting = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_AFTER };
    this.#server = createServer(lasting, (socket) => this.#connected(socket));
  }

  /** Returns the port. @throws UsageError if it cannot be opened */
  listen({ host, port }: HostAndPort): Promise<number> {
    return new Promise((resolve, reject) => {
      const refuse = (error: Error) => reject(portRefused(`TCP port ${port}`, host, error));
      this.#server.once('error', refuse);
      this.#server.listen(port, host, () => {
        this.#server.off('error', refuse);
        const address = this.#server.address();
        resolve(typeof address === 'object' && address !== null ? address.port : port);
      });
    });
  }

  close(): void {
    this.#server.close();
    this.#open?.destroy();
  }

  #connected(socket: Socket): void {
    // A program may disappear at any time.
    socket.on('error', () => {});
    if (this.#open !== undefined) {
      socket.end('the serial port is in use\r\n');
      return;
    }
    this.#open = socket;
    socket.on('close', () => {
      this.#open = undefined;
    });
    let line = '';
    let before = '';
    socket.on('data', (bytes) => {
      for (const character of bytes.toString('latin1')) {
        // CR, LF, or both end a line.
        if (character === CR || (character === LF && before !== CR)) {
          this.#execute(line, socket);
          line = '';
        } else if (character === BACKSPACE || character === DELETE) line = line.slice(0, -1);
        else if (character === CTRL_C) line = '';
        else if (character !== LF && line.length < LONGEST) line += character;
        before = character;
      }
    });
  }

  #execute(line: string, socket: Socket): void {
    if (HTTP.test(line)) socket.destroy();
    const member = this.#member();
    if (line.trim() === '' || member === undefined || socket.destroyed) return;
    const { secrets, noted, host } = this.#options;
    const answer = ({ code, lines }: Answer): void => {
      const shown = secrets ? lines : printedWithoutSecrets(line, code, lines);
      if (socket.writableLength > MOST_BACKLOG) socket.destroy();
      else socket.write(shown.map((text) => `${text}\r\n`).join(''), 'latin1');
    };
    try {
      const first = member.shell(line, answer);
      if (first.code === ENOMEM) {
        host.err.write(`ghostfleet: serial port of ${member.name}: ${LINE_TOO_LONG}\n`);
        return;
      }
      noted(member, withoutSecrets(line));
      answer(first);
    } catch {
      // A device without power does not answer.
    }
  }
}

/** Pause before socat is started again. It ends each time when a program closes the terminal. */
const PAUSE: Millis = 100;
/** Failed starts in a row after which the terminal is given up. */
const MOST_FAILURES = 20;

interface TerminalOptions {
  /** The link to the terminal. */
  readonly path: string;
  /** Port on this machine that it is connected with. */
  readonly port: number;
  readonly env: Host['env'];
  /** Called with a sentence if the terminal is given up. */
  readonly failed: (sentence: string) => void;
}

/** A pseudo-terminal that socat connects with a TCP port, as long as it is not closed. */
class PseudoTerminal {
  readonly #options: TerminalOptions;
  readonly #clock = new RealClock();
  /** Starts in a row that failed. */
  #failures = 0;
  #stop: () => void = () => {};
  #closed = false;

  /** Resolves when programs can open the path. @throws UsageError if socat is not installed or cannot create the terminal */
  static async open(options: TerminalOptions): Promise<PseudoTerminal> {
    const terminal = new PseudoTerminal(options);
    await terminal.#start();
    return terminal;
  }

  private constructor(options: TerminalOptions) {
    this.#options = options;
  }

  close(): void {
    this.#closed = true;
    this.#stop();
    rmSync(this.#options.path, { force: true });
  }

  /** Resolves when socat runs, and starts it again whenever it ends. */
  async #start(): Promise<void> {
    const { path, port, env } = this.#options;
    const words = ['-d', '-d', `PTY,rawer,link=${path}`, `TCP:127.0.0.1:${port}`];
    const child = spawn('socat', words, { env: withoutSettings(env), stdio: ['ignore', 'ignore', 'pipe'] });
    this.#stop = () => void child.kill();
    let said = '';
    await new Promise<void>((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (said.length < LONGEST) said += text;
        if (said.includes('starting data transfer loop')) resolve();
      });
      child.on('error', () => reject(withoutSocat()));
      child.on('close', () => {
        reject(new UsageError('no-terminal', `socat cannot create "${path}": ${lastSentence(said)}`));
      });
    });
    child.on('close', () => this.#again());
  }

  #again(): void {
    this.#clock.after(PAUSE, 'the next start of socat', () => {
      if (this.#closed) return;
      this.#start().then(
        () => {
          this.#failures = 0;
        },
        ({ message }: Error) => {
          if (++this.#failures < MOST_FAILURES) this.#again();
          else this.#options.failed(message);
        },
      );
    });
  }
}

function withoutSocat(): UsageError {
  return new UsageError(
    'no-socat',
    'a pseudo-terminal needs the program socat, which is not installed',
    'install it (apt-get install socat), or use a port such as tcp:127.0.0.1:7001',
  );
}

/** The reason in the last line of socat, without its prefix: `2026/03/02 06:00:00 socat[12] E unlink("x"): …`. */
function lastSentence(said: string): string {
  return (
    said
      .trim()
      .split('\n')
      .at(-1)
      ?.replace(/^.*?\] \w /, '') ?? 'it gives no reason'
  );
}
