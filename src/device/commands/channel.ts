/** `channel`: the inputs of CHESTER Control (catalog.json, control). */
import { seconds } from '../../kernel/time.js';
import { EINVAL, ENODEV } from '../../protocol/errno.js';
import { leadingInteger } from '../config/parse.js';
import type { Command, CommandResult } from '../shell/command.js';
import type { ChannelState, ShellChannels } from '../shell/equipment.js';
import type { ShellHost } from '../shell/host.js';
import { failed, groupHelp, ok, refused, rounds } from './results.js';

const READ_SECONDS = 10;

export const channel: Command = {
  word: 'channel',
  help: 'The inputs.',
  run: groupHelp,
  children: [
    {
      word: 'show',
      help: 'Show the state of all channels, or of some: [<channel> ...]',
      args: [0, 8],
      run: (host, args) =>
        onChannels(host, (channels) => onEach(channels, args, (n) => stateLine(n, channels.state(n)))),
    },
    {
      word: 'read',
      help: 'Show the reading of a channel once a second: <channel> [<seconds>]',
      args: [0, 2],
      run: (host, [name, text]) =>
        onChannels(host, (channels) => {
          if (name === undefined) return refused(EINVAL, `usage: channel read <1-${channels.count}> [duration_s]`);
          const n = leadingInteger(name);
          if (!exists(channels, n)) return refused(EINVAL, invalid(channels, name));
          const duration = text === undefined ? READ_SECONDS : Math.max(1, leadingInteger(text));
          const round = () => [liveLine(n, channels.state(n))];
          return rounds(duration, seconds(1), round, () => ok('channel read finished'));
        }),
    },
    {
      word: 'reset',
      help: 'Clear counters, samples and events of all channels, or of one: [<channel>]',
      args: [0, 1],
      run: (host, args) =>
        onChannels(host, (channels) =>
          onEach(channels, args, (n) => {
            const state = channels.state(n);
            if (state.mode === 'disabled') return `channel ${n}: not active`;
            channels.reset(n);
            return `channel ${n}: ${state.mode} reset`;
          }),
        ),
    },
  ],
};

function onChannels(host: ShellHost, act: (channels: ShellChannels) => CommandResult): CommandResult {
  return host.equipment.channels ? act(host.equipment.channels) : failed(ENODEV);
}

/** One line for each named channel, or for all channels if none is named. Fails at the first invalid name. */
function onEach(channels: ShellChannels, names: readonly string[], lineOf: (n: number) => string): CommandResult {
  if (names.length === 0) return ok(...Array.from({ length: channels.count }, (_, i) => lineOf(i + 1)));
  const lines: string[] = [];
  for (const name of names) {
    const n = leadingInteger(name);
    if (!exists(channels, n)) return refused(EINVAL, ...lines, invalid(channels, name));
    lines.push(lineOf(n));
  }
  return ok(...lines);
}

function exists(channels: ShellChannels, n: number): boolean {
  return n >= 1 && n <= channels.count;
}

function invalid(channels: ShellChannels, name: string): string {
  return `invalid channel: ${name} (1-${channels.count})`;
}

function stateLine(n: number, state: ChannelState): string {
  switch (state.mode) {
    case 'disabled':
      return `channel ${n}: disabled`;
    case 'trigger':
      return `channel ${n}: trigger, state: ${state.active ? 'active' : 'inactive'}, events: ${state.events}`;
    case 'counter':
      return `channel ${n}: counter, value: ${state.value}, delta: ${state.delta}`;
    case 'voltage':
    case 'current': {
      const last = state.last === undefined ? 'NaN' : `${state.last.toFixed(2)} ${unitOf(state.mode)}`;
      const counts = `samples: ${state.samples}, measurements: ${state.measurements}`;
      return `channel ${n}: ${state.mode}, last: ${last}, ${counts}`;
    }
    default:
      return state satisfies never;
  }
}

function liveLine(n: number, state: ChannelState): string {
  if ('live' in state) {
    // For a failed reading, the firmware (printf in C) prints "nan".
    return `channel ${n}: ${state.mode}, live: ${state.live?.toFixed(2) ?? 'nan'} ${unitOf(state.mode)}`;
  }
  return stateLine(n, state);
}

function unitOf(mode: 'voltage' | 'current'): string {
  return mode === 'voltage' ? 'V' : 'mA';
}
