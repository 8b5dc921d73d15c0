/** Whether a reported configuration has the settings of a config downlink: the only evidence that it ran (wire W-54). */
import { append } from './append.js';

/**
 * True if every `… config <name> <value>` line of `wanted` is among the reported lines. Values are compared as the device
 * parses them: quotes are ignored, and 25 equals 25.00. A list is reported as several lines with the same name, such as `app
 * config address add 12345678`. Two kinds of lines of `wanted` are ignored: lines that set no parameter, and list commands that
 * a report never contains (`app config address erase`).
 */
export function containsConfig(reported: ReportedConfig, wanted: readonly string[]): boolean {
  return wanted.every((line) => {
    const setting = readSetting(line);
    if (setting === undefined) return true;
    const shown = reported.get(setting.key) ?? [];
    return shown.some(({ value }) => isSameValue(value, setting.value)) || isOtherListCommand(setting, shown);
  });
}

/** The settings of a reported configuration, by parameter. */
export type ReportedConfig = ReadonlyMap<string, readonly Setting[]>;

export function readReported(lines: readonly string[]): ReportedConfig {
  const reported = new Map<string, Setting[]>();
  for (const line of lines) {
    const setting = readSetting(line);
    if (setting === undefined) continue;
    append(reported, setting.key, setting);
  }
  return reported;
}

/** Whether the body of a configuration is a list of lines. */
export function isLines(body: unknown): body is readonly string[] {
  return Array.isArray(body) && body.every((line) => typeof line === 'string');
}

interface Setting {
  readonly key: string;
  /** Without quotes. */
  readonly value: string;
  /** For a list, the command, such as `add`: the first word of an unquoted value with several words. */
  readonly command: string | undefined;
}

function readSetting(line: string): Setting | undefined {
  const trimmed = line.trim();
  // A line can be long: each part of the expression ends where the next one begins, so that it takes one pass.
  const match = /^(\S+)\s+config\s+(\S+)\s+(?=\S)/.exec(trimmed);
  if (!match) return undefined;
  const text = trimmed.slice(match[0].length);
  const value = text.replace(/^(["'])(.*)\1$/, '$2');
  const [, command] = value === text ? (/^(\S+)\s/.exec(text) ?? []) : [];
  return { key: `${match[1]} ${match[2]}`, value, command };
}

/** Whether `setting` is a list command that no report contains: reports have `add`, `setting` for example `erase`. */
function isOtherListCommand({ value, command = value }: Setting, shown: readonly Setting[]): boolean {
  return shown.length > 0 && shown.every((line) => line.command !== undefined && line.command !== command);
}

function isSameValue(a: string, b: string): boolean {
  return a === b || (a !== '' && b !== '' && Number(a) === Number(b));
}
