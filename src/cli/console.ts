/** `ghostfleet console`: attaches to a run in another terminal. Lines go to devices' shells, or with a dot control them. */

import { resolve } from 'node:path';
import { type Connection, findRuns, LEFT } from '../console/client.js';
import { splitLine } from '../console/command-line.js';
import { controlHelp } from '../console/control-line.js';
import type { Candidate } from '../console/member.js';
import type { Reply } from '../console/protocol.js';
import { type Print, Screen } from '../console/screen.js';
import { faint, listed, logLine } from '../console/shown.js';
import { quote } from '../input/problems.js';
import type { EdgeClock } from '../kernel/clock.js';
import { EXIT, type ExitCode, GhostfleetError, UsageError } from '../kernel/errors.js';
import { countOf } from '../kernel/quantity.js';
import { RealClock } from '../kernel/real-clock.js';
import { defineCommand } from './command.js';
import { type Host, isColoured, type Terminal } from './host.js';
import { type AfterLine, takeLines } from './typed-lines.js';
import { SHOW_SECRETS } from './values.js';

interface ConsoleFlags {
  readonly selector: readonly string[];
  readonly run: string | undefined;
  readonly log: boolean;
  readonly 'show-secrets': boolean;
}

export const attachConsole = defineCommand<ConsoleFlags>(
  (parser) =>
    parser
      .positional('selector', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'devices, such as cellar, "fw<3.1 & battery<20" or *; "SELECTOR : LINE" sends one line and exits',
      })
      .option('run', { type: 'string', requiresArg: true, describe: 'the run to attach to, if there are several' })
      .option('log', { type: 'boolean', default: false, describe: 'show the events of the devices' })
      .option('show-secrets', SHOW_SECRETS),
  execute,
);

async function execute(flags: ConsoleFlags, host: Host): Promise<ExitCode> {
  const { selection, command: rest } = splitLine(flags.selector.join(' '));
  // Without a colon, all words are the selector.
  const on = (selection ?? rest) || '*';
  const clock = new RealClock();
  const connection = await attach(flags.run, host, clock);
  const session = new Session(connection, on, flags['show-secrets'], clock);
  const forget = host.onInterrupt(() => connection.close());
  try {
    if (selection !== undefined) await session.typeOnce(rest, host);
    else await session.converse(flags.log, host);
    return EXIT.fine;
  } finally {
    forget();
    connection.close();
  }
}

/** The run with the wanted name, or the only run. @throws UsageError if no run matches, or more than one */
async function attach(wanted: string | undefined, host: Host, clock: EdgeClock): Promise<Connection> {
  const runs = await findRuns(host.env, clock);
  const chosen = runs.filter(({ greeting }) => wanted === undefined || [greeting.run, greeting.name].includes(wanted));
  const [only, ...more] = chosen;
  for (const run of runs) if (run !== only || more.length > 0) run.close();
  if (only !== undefined && more.length === 0) return only;
  if (runs.length === 0) {
    throw new UsageError(
      'nothing-to-attach',
      'no run to attach to',
      'start one with "ghostfleet run FILE", with "--clock real" or "--pace 60", or with "ghostfleet device"',
    );
  }
  const rows = runs.map(({ greeting: { run, name, devices } }) => `  --run ${run}  ${name}, ${countDevices(devices)}`);
  const what = wanted === undefined || more.length > 0 ? 'there are several runs' : `unknown run ${quote(wanted)}`;
  throw new UsageError('which-run', `${what}; choose one with --run`, rows.join('\n'));
}

/** A console that is attached to one run. */
class Session {
  readonly #connection: Connection;
  readonly #secrets: boolean;
  readonly #clock: EdgeClock;
  #on: string;
  #following = false;
  #print: Print = () => {};
  #warn: Print = () => {};

  constructor(connection: Connection, on: string, secrets: boolean, clock: EdgeClock) {
    this.#connection = connection;
    this.#on = on;
    this.#secrets = secrets;
    this.#clock = clock;
  }

  /**
   * Sends one line and waits until all selected devices have executed it.
   * @throws UsageError for an empty line, and if no device is selected
   */
  async typeOnce(line: string, host: Host): Promise<void> {
    this.#print = (lines) => host.out.write(lines.map((text) => `${text}\n`).join(''));
    this.#warn = (lines) => host.err.write(lines.map((text) => `${text}\n`).join(''));
    if (line === '') throw new UsageError('bad-command', 'the line after the colon is empty');
    const devices = await this.#carryOut(this.#on, line, true);
    if (devices === 0) throw new UsageError('no-device', `no device matches ${quote(this.#on)}`);
  }

  /** Reads lines from a terminal or a pipe until the user detaches or the run ends. */
  async converse(following: boolean, host: Host): Promise<void> {
    const { greeting, ended } = this.#connection;
    // The run reads selectors, because it knows the tags. An invalid selector ends the console before its first prompt.
    await this.#complete('');
    const terminal = host.terminal({ prompt: this.#writePrompt(), complete: (line) => this.#complete(line) });
    this.#print = (lines) => {
      if (terminal) terminal.print(lines);
      else host.out.write(lines.map((line) => `${line}\n`).join(''));
    };
    this.#warn = this.#print;
    const isFaint = terminal !== undefined && isColoured(host.out, host.env);
    this.#connection.onNews((news) => {
      if ('bye' in news) return;
      const skipped = news.skipped === undefined ? '' : ` (${news.skipped} earlier events skipped)`;
      this.#print([faint(logLine(news.event, news.from) + skipped, isFaint)]);
    });
    try {
      if (terminal) this.#print([`${greeting.run}: ${countDevices(greeting.devices)}; type .help for help`]);
      if (following) await this.#follow(true);
      const lines = terminal?.lines ?? host.lines();
      const left = await takeLines(lines, ended, (line) => this.#takeLine(line.trim(), terminal));
      const last = left ? LEFT : await ended;
      if (last !== LEFT && terminal) this.#print([last]);
    } finally {
      terminal?.close();
    }
  }

  async #takeLine(line: string, terminal: Terminal | undefined): Promise<AfterLine> {
    try {
      const { selection, command: rest } = splitLine(line);
      const on = selection ?? this.#on;
      if (rest === '.quit') return 'leave';
      if (rest === '.help') this.#print(HELP);
      else if (rest === '.log on' || rest === '.log off') await this.#follow(rest === '.log on');
      else if (/^\.on(\s|$)/.test(line)) await this.#turnTo(line.slice(3).trim() || '*', terminal);
      else if (rest !== '') {
        // A terminal accepts the next line while devices are still executing this one.
        const devices = await this.#carryOut(on, rest, terminal === undefined);
        if (devices === 0) this.#print([`no device matches ${quote(on)}`]);
      }
    } catch (error) {
      if (!(error instanceof GhostfleetError)) throw error;
      this.#print(error.hint === undefined ? [error.message] : [error.message, error.hint]);
    }
    return 'stay';
  }

  /**
   * Sends a line to the devices that match the selector `on`.
   * @param toTheEnd whether to wait until commands that take time have finished
   * @returns the number of devices that match
   */
  async #carryOut(on: string, line: string, toTheEnd: boolean): Promise<number> {
    if (line === '.list') return this.#list(on);
    const screen = new Screen(this.#clock, this.#print);
    // Relative paths are resolved in the user's folder, not in the folder of the run.
    const question = { do: 'line', on, line, secrets: this.#secrets, folder: resolve('.'), inside: false } as const;
    const { done, finished } = this.#ask(question, (reply) => 'from' in reply && screen.add(reply));
    const devices = await done;
    screen.asked(devices);
    const end = finished.then(() => screen.end());
    if (toTheEnd) await end;
    return devices;
  }

  /** Like `ask` of the connection; also says how many devices were left out because they cannot be compared. */
  #ask(...[question, take]: Parameters<Connection['ask']>): ReturnType<Connection['ask']> {
    return this.#connection.ask(question, (reply) => {
      take(reply);
      if ('done' in reply && reply.uncompared !== undefined)
        this.#warn([`${countDevices(reply.uncompared)} left out: the firmware is not a version such as 3.1 or v3.5.1`]);
    });
  }

  async #list(on: string): Promise<number> {
    const devices: Candidate[] = [];
    const take = (reply: Reply): void => {
      if ('device' in reply) devices.push(reply.device);
    };
    const count = await this.#ask({ do: 'list', on }, take).done;
    if (count > 0) this.#print(listed(devices));
    return count;
  }

  async #turnTo(on: string, terminal: Terminal | undefined): Promise<void> {
    const count = await this.#ask({ do: 'list', on }, () => {}).done;
    this.#on = on;
    terminal?.prompt(this.#writePrompt());
    if (this.#following) await this.#follow(true);
    this.#print([`${countDevices(count)} selected`]);
  }

  async #follow(on: boolean): Promise<void> {
    this.#following = on;
    await this.#connection.ask({ do: 'follow', on: on ? this.#on : null }, () => {}).done;
  }

  async #complete(line: string): Promise<readonly string[]> {
    const { selection, command: rest } = splitLine(line);
    const own = OWN_COMMANDS.filter((word) => rest !== '' && word.startsWith(rest));
    const words: string[] = [];
    const take = (reply: Reply): void => {
      if ('words' in reply) words.push(...reply.words);
    };
    const typed = line.endsWith(' ') && rest !== '' ? `${rest} ` : rest;
    await this.#connection.ask({ do: 'complete', on: selection ?? this.#on, line: typed }, take).done;
    return [...own, ...words];
  }

  #writePrompt(): string {
    return `${this.#connection.greeting.name} ${this.#on}> `;
  }
}

const OWN_COMMANDS = ['.help', '.list', '.log', '.on', '.quit'];

const HELP = [
  'Lines go to the shells of the selected devices. SELECTOR : LINE sends one line to others: cellar : info show',
  'Lines that begin with a dot control the devices from outside:',
  ...controlHelp(),
  'Commands of the console:',
  '  .on SELECTOR   selects other devices: cellar, tag=cold, fw<3.1 & battery<20, !state=off, clime-00*, *',
  '  .list          lists the selected devices',
  '  .log on | off  shows or hides their events',
  '  .quit          detaches, like Ctrl-D; the run continues',
];

function countDevices(devices: number): string {
  return countOf(devices, 'device');
}
