/**
 * The shell as the cloud uses it: commands with an answer, configuration batches that end with a reboot, and the listing of the
 * configuration (shell S-39, S-45). These functions only return the result; the firmware sends, pauses, saves and restarts.
 */
import type { Millis } from '../../kernel/time.js';
import { EINVAL, ENOENT, ENOMEM, REJECTED_VALUE } from '../../protocol/errno.js';
import type { BootCause } from '../../trace/events.js';
import type { DeviceConfig } from '../config/device-config.js';
import { captureOutput, splitCapture } from './capture.js';
import type { CommandResult, Rest } from './command.js';
import type { ShellHost } from './host.js';
import { isRejected, type Shell, tooLong } from './shell.js';

/** One entry of a shell answer (wire W-55). */
interface ShellResponse {
  readonly command: string;
  readonly result: number;
  readonly lines: readonly string[];
}

/**
 * `rejected`: whether the shell rejected at least one line (`isRejected` in shell.ts). A rejected line does not stop the lines
 * after it.
 */
export type RemoteShellOutcome =
  /** Sent only if it fits into the transfer buffer together with the downlink that it answers. */
  | { readonly kind: 'answer'; readonly responses: readonly ShellResponse[]; readonly rejected: boolean }
  /** A command restarts the device at once; no answer is sent. */
  | { readonly kind: 'reboot'; readonly cause: BootCause; readonly rejected: boolean }
  /** No answer is sent, and the poll counts as failed. Earlier commands keep their effect. */
  | { readonly kind: 'failed'; readonly code: number }
  | Waits<RemoteShellOutcome>;

/** A command takes the time `wait`; the cloud thread waits that long, then calls `go` for the result. */
interface Waits<T> {
  readonly kind: 'waits';
  readonly wait: Millis;
  readonly go: () => T;
}

/** Runs the commands of a "shell" downlink, one after the other (shell S-39, S-41). */
export function runRemoteShell(shell: Shell, host: ShellHost, commands: readonly string[]): RemoteShellOutcome {
  const responses: ShellResponse[] = [];
  let rejected = false;
  /** Runs the commands from number `n` on. `begun`: result of command `n` so far, if it already runs. */
  const from = (n: number, begun?: CommandResult): RemoteShellOutcome => {
    for (const [i, command] of commands.slice(n).entries()) {
      if (tooLong(command)) return { kind: 'failed', code: ENOMEM };
      const result = (i === 0 ? begun : undefined) ?? shell.run(host, command);
      if (result.rest) return waits(result.lines, result.rest, (more) => from(n + i, more));
      rejected ||= isRejected(result);
      if (result.reboot) return { kind: 'reboot', cause: result.reboot, rejected };
      const lines = splitCapture(captureOutput(command, result.lines));
      if (!lines) return { kind: 'failed', code: EINVAL };
      responses.push({ command, result: result.code, lines });
    }
    return { kind: 'answer', responses, rejected };
  };
  return from(0);
}

/** `rejected`: whether the shell rejected at least one line with the result 0, such as an invalid value. */
export type RemoteConfigOutcome =
  /**
   * All `ran` lines have run. The firmware pauses for each line and before it saves (`linePause` and `savePause` in
   * family/policy.ts), then saves and restarts.
   */
  | { readonly kind: 'save'; readonly ran: number; readonly rejected: boolean }
  /** A line restarts the device at once; the changes of the batch are saved only if that line was a save. */
  | { readonly kind: 'reboot'; readonly cause: BootCause; readonly rejected: boolean }
  /**
   * `line` failed after `ran` successful lines: nothing is saved, and no answer is sent. The changes of earlier lines stay in
   * the interim copy (config/device-config.ts).
   */
  | { readonly kind: 'stopped'; readonly line: string; readonly code: number; readonly ran: number }
  | Waits<RemoteConfigOutcome>;

/** Lines that are skipped, because they would end the batch early or fill the log. */
const SKIPPED: ReadonlySet<string> = new Set(['config save', 'config reset', 'config show']);

/** Runs the lines of a "config" downlink (shell S-45). A rejected value does not stop the batch. */
export function runRemoteConfig(shell: Shell, host: ShellHost, lines: readonly string[]): RemoteConfigOutcome {
  const overlong = lines.find(tooLong);
  if (overlong !== undefined) return { kind: 'stopped', line: overlong, code: ENOMEM, ran: 0 };
  const wanted = lines.filter((line) => !SKIPPED.has(line));
  let rejected = false;
  const from = (n: number, begun?: CommandResult): RemoteConfigOutcome => {
    for (const [i, line] of wanted.slice(n).entries()) {
      const result = (i === 0 ? begun : undefined) ?? shell.run(host, line);
      if (result.rest) return waits(result.lines, result.rest, (more) => from(n + i, more));
      rejected ||= isRejected(result);
      if (result.reboot) return { kind: 'reboot', cause: result.reboot, rejected };
      if (result.code !== 0) return { kind: 'stopped', line, code: result.code, ran: n + i };
    }
    return { kind: 'save', ran: wanted.length, rejected };
  };
  return from(0);
}

/**
 * Applies the lines of a "config" downlink without the shell (shell S-46): `<module> config <name> <value>`, where quotes
 * around the value are removed (hio devices: `hio_config.c`, `hio_config_parse_line`). Empty lines are skipped, and the first
 * invalid line ends the batch.
 */
export function applyConfigLines(config: DeviceConfig, lines: readonly string[]): RemoteConfigOutcome {
  let ran = 0;
  for (const line of lines) {
    if (line === '') continue;
    const code = applyConfigLine(config, line);
    if (code !== 0) return { kind: 'stopped', line, code, ran };
    ran++;
  }
  return { kind: 'save', ran, rejected: false };
}

function applyConfigLine(config: DeviceConfig, line: string): number {
  if (tooLong(line)) return ENOMEM;
  const read = readConfigLine(line);
  if (read === undefined) return EINVAL;
  const item = config.layout.module(read.module)?.items.find(({ spec }) => spec.name === read.name);
  return item === undefined ? ENOENT : REJECTED_VALUE[config.write(item, read.value)?.fault ?? 'unsaid'];
}

/** The parts of a line of a "config" downlink, as {@link applyConfigLines} reads it; undefined if a part is missing. */
export function readConfigLine(
  line: string,
): { readonly module: string; readonly name: string; readonly value: string } | undefined {
  const [, module = '', name = '', rest] = CONFIG_LINE.exec(line) ?? [];
  if (rest === undefined) return undefined;
  const value = rest.length > 1 && rest.startsWith('"') && rest.endsWith('"') ? rest.slice(1, -1) : rest;
  return { module, name, value };
}

/** Words are separated by spaces; the value is the rest of the line. */
const CONFIG_LINE = /^ *([^ ]+) +config +([^ ]+) (.+)$/s;

function waits<T>(lines: readonly string[], { wait, go }: Rest, goOn: (begun: CommandResult) => T): Waits<T> {
  const more = (): CommandResult => {
    const next = go();
    return { ...next, lines: [...lines, ...next.lines] };
  };
  return { kind: 'waits', wait, go: () => goOn(more()) };
}

/** The configuration as the device reports it. */
interface ConfigListing {
  /** Raw output; the configuration hash is taken over this text, which may be cut (wire W-53). */
  readonly text: string;
  readonly lines: readonly string[];
}

/** Runs `config show` for the upload of the configuration (shell S-47). */
export function listConfig(shell: Shell, host: ShellHost): ConfigListing {
  const command = 'config show';
  const text = captureOutput(command, shell.run(host, command).lines);
  return { text, lines: splitCapture(text) ?? [] };
}
