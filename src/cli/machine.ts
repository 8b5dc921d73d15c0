/** Checks of the machine for `ghostfleet doctor`: what the program needs, and what to do where it is missing. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { findNativeFailure } from '../cloud/store/sqlite/connect.js';
import { isoTime } from '../kernel/calendar.js';
import { pause } from '../kernel/deadline.js';
import { openFileLimit } from '../kernel/open-files.js';
import { RealClock } from '../kernel/real-clock.js';
import { reasonOf } from '../kernel/system-errors.js';
import type { Millis, UnixMillis } from '../kernel/time.js';
import type { Host } from './host.js';
import { PORTS } from './serve-values.js';
import { readSupportedNode } from './version.js';

/** What was found out about the machine. */
export interface Machine {
  /** Such as `20.19.0`. */
  readonly node: string;
  /** The range of package.json, such as `^20.19 || >=22`. */
  readonly supportedNode: string;
  /** Why SQLite cannot be used; undefined if it can. */
  readonly nativeFailure: string | undefined;
  readonly ports: readonly PortState[];
  readonly wall: UnixMillis;
  /** The largest time by which a timer fired late. */
  readonly latest: Millis;
  /** Undefined without a limit, and where it is not known. */
  readonly openFiles: number | undefined;
}

interface PortState {
  /** The option of `serve`. */
  readonly option: keyof typeof PORTS;
  /** Why the port cannot be opened on 127.0.0.1; undefined if it can. */
  readonly refused: string | undefined;
}

/** A line of the result. With `fails`, the program cannot work; with `note`, a part of it. */
export interface Finding {
  readonly state: 'ok' | 'note' | 'fails';
  readonly subject: string;
  readonly text: string;
  /** What to do. */
  readonly remedy?: string;
}

/** A wall clock before this time is wrong: this version did not exist yet. */
const EARLIEST = Date.UTC(2026, 0, 1);
/** Timers that fire later than this disturb runs in real time. */
const LATE: Millis = 50;
/** A service needs one file for each connection; the usual limit of Linux. */
const ENOUGH_FILES = 1024;
const TIMERS = 20;
const TIMER: Millis = 5;

export async function examineMachine(host: Host): Promise<Machine> {
  return {
    node: host.nodeVersion,
    supportedNode: readSupportedNode(),
    nativeFailure: findNativeFailure(),
    ports: await Promise.all(
      Object.entries(PORTS).map(async ([option, port]) => ({
        // The cast is needed because Object.entries widens the keys.
        option: option as keyof typeof PORTS,
        refused: await tryPort(port, option === 'port' ? 'tcp' : 'udp'),
      })),
    ),
    wall: host.wallClock(),
    latest: await measureTimers(),
    openFiles: openFileLimit(),
  };
}

/** Judges a machine, in the order in which things have to work. */
export function judgeMachine(machine: Machine): readonly Finding[] {
  const { node, supportedNode, nativeFailure, ports, wall, latest, openFiles } = machine;
  return [
    isInRange(node, supportedNode)
      ? ok('Node.js', node)
      : fails('Node.js', `${node} is not supported (${supportedNode})`, 'install Node.js 24 from https://nodejs.org'),
    nativeFailure === undefined
      ? ok('native module', 'SQLite works')
      : fails(
          'native module',
          nativeFailure,
          'run `npm rebuild better-sqlite3`, or if it is absent `npm install better-sqlite3@12`, with the version of Node.js in use',
        ),
    ...ports.map(judgePort),
    wall < EARLIEST
      ? fails('clock', `${isoTime(wall)} is in the past`, 'set the clock: certificates and new messages look invalid')
      : ok('clock', isoTime(wall)),
    latest > LATE
      ? note('timers', `up to ${Math.round(latest)} ms late`, 'stop other work before runs in real time')
      : ok('timers', `at most ${Math.max(1, Math.ceil(latest))} ms late`),
    openFiles !== undefined && openFiles < ENOUGH_FILES
      ? note('open files', `limited to ${openFiles}`, 'run `ulimit -n 4096`: a service needs one for each connection')
      : ok('open files', openFiles === undefined ? 'no known limit' : `at most ${openFiles}`),
  ];
}

function judgePort({ option, refused }: PortState): Finding {
  const subject = `port ${PORTS[option]}`;
  if (refused === undefined) return ok(subject, option === 'port' ? 'free, for the API' : 'free, for devices');
  return note(subject, `cannot be opened: ${refused}`, `run \`ghostfleet serve --${option} 0\` to take a free one`);
}

function ok(subject: string, text: string): Finding {
  return { state: 'ok', subject, text };
}

function note(subject: string, text: string, remedy: string): Finding {
  return { state: 'note', subject, text, remedy };
}

function fails(subject: string, text: string, remedy: string): Finding {
  return { state: 'fails', subject, text, remedy };
}

/** Whether a version is in a range of the forms `^20.19` and `>=22`, joined by `||`. */
export function isInRange(version: string, range: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return range.split('||').some((part) => {
    const [, sign, least = '', after = '0'] = /^\s*(\^|>=)(\d+)(?:\.(\d+))?\s*$/.exec(part) ?? [];
    const isSame = major === Number(least) && minor >= Number(after);
    return sign !== undefined && (isSame || (sign === '>=' && major > Number(least)));
  });
}

/** Why a port of 127.0.0.1 cannot be opened; undefined if it can. */
export async function tryPort(port: number, kind: 'tcp' | 'udp'): Promise<string | undefined> {
  try {
    if (kind === 'tcp') {
      const server = createServer().listen(port, '127.0.0.1');
      await once(server, 'listening');
      server.close();
    } else {
      const socket = createSocket('udp4');
      const opened = once(socket, 'listening');
      socket.bind(port, '127.0.0.1');
      await opened;
      socket.close();
    }
    return undefined;
  } catch (error) {
    return reasonOf(error);
  }
}

/** The largest time by which a few short timers fire late. */
async function measureTimers(): Promise<Millis> {
  let latest = 0;
  const clock = new RealClock({
    onAlarm: (lateBy) => {
      latest = Math.max(latest, lateBy);
    },
  });
  for (let i = 0; i < TIMERS; i++) {
    await pause({ clock, limit: TIMER, what: 'a timer of doctor' });
  }
  return latest;
}
