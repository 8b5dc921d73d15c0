/** `<module> config …`: the same command in every module with parameters (shell S-11). */

import { EINVAL, REJECTED_VALUE } from '../../protocol/errno.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { ConfigItem, ConfigList, ConfigModule } from '../config/layout.js';
import { changeList, listLines, numberLines } from '../config/list.js';
import { helpLines, readLine } from '../config/text.js';
import type { Command, CommandResult } from '../shell/command.js';
import { commandHelp } from '../shell/help.js';
import { ok, refused, rejected } from './results.js';
import { slotComplaint } from './serial.js';

/** The command `config` of the module with the shell word `module`. */
export function moduleConfig(module: string): Command {
  return {
    word: 'config',
    help: 'Show or set parameters: [show | <name> [<value>]]; a * at the end of a name matches any ending.',
    args: [0, 3],
    run: (host, words, command) => {
      const [name, value] = words;
      const { config } = host;
      const found = config.layout.module(module);
      if (found?.list && name === found.list.name) {
        return value === undefined
          ? ok(...numberLines(config, found))
          : changedList(config, found.list, words.slice(1), command);
      }
      if (name === 'save' && module === 'app' && host.equipment.line) {
        const complaint = slotComplaint(host.equipment.line, modeOf(config));
        if (complaint !== undefined) return refused(EINVAL, complaint);
      }
      if (found && name === 'show' && value === undefined) return ok(...allLines(config, found));
      return parameters(config, found?.items ?? [], words);
    },
  };
}

/** Changes the list of a module: `app config address add 12345678`. */
function changedList(
  config: DeviceConfig,
  list: ConfigList,
  words: readonly string[],
  command: Command,
): CommandResult {
  const outcome = changeList(config, list, words);
  if (outcome === 'unknown') return refused(EINVAL, ...commandHelp(command));
  return outcome === 'done' ? ok() : refused(EINVAL, outcome.complaint);
}

/** Shows or writes parameters: `[<name> [<value>]]`. */
function parameters(config: DeviceConfig, items: readonly ConfigItem[], words: readonly string[]): CommandResult {
  const [name, value, surplus] = words;
  // The shell accepts one surplus word; the firmware then changes nothing and rejects the command.
  if (surplus !== undefined) return rejected();
  const help = items.flatMap((item) => helpLines(item.spec));
  if (name === undefined) return ok(...help);
  const chosen = items.filter((item) => matches(item, name));
  if (chosen.length === 0) return rejected(...help);
  if (value === undefined) return ok(...configLines(config, chosen));
  const complaints: string[] = [];
  for (const item of chosen) {
    const { lines, fault } = config.write(item, value) ?? NO_COMPLAINT;
    if (fault !== 'unsaid') return refused(REJECTED_VALUE[fault], ...lines);
    complaints.push(...lines);
  }
  return complaints.length > 0 ? rejected(...complaints) : ok();
}

const NO_COMPLAINT = { lines: [], fault: 'unsaid' } as const;

/** The lines of `<module> config show`: the list of the module, then every parameter. */
function allLines(config: DeviceConfig, module: ConfigModule): readonly string[] {
  return [...listLines(config, module), ...configLines(config, module.items)];
}

/**
 * The lines of a module in `config show`. A module can show some of its parameters only while another parameter has a certain
 * value in the running configuration. CHESTER Motion hides four in this way.
 */
export function moduleLines(config: DeviceConfig, module: ConfigModule): readonly string[] {
  const { hidden } = module;
  if (hidden === undefined || config.text(module.name, hidden.unless.spec.name) === hidden.is) {
    return allLines(config, module);
  }
  const shown = module.items.filter((item) => !hidden.items.includes(item));
  return [...listLines(config, module), ...configLines(config, shown)];
}

/** The lines of these parameters in `config show`. */
export function configLines(config: DeviceConfig, items: readonly ConfigItem[]): readonly string[] {
  return items.map((item) => readLine(item, config.read(item)));
}

/** The mode of the serial line with unsaved changes (device-config.ts); empty without a serial line. */
function modeOf(config: DeviceConfig): string {
  const mode = config.layout.find('app', 'serial-mode');
  return mode ? String(config.read(mode)) : '';
}

/** Whether a word names a parameter: `backup-report-connected`, `backup-*` and `*` all name `backup-report-connected`. */
function matches(item: ConfigItem, pattern: string): boolean {
  return pattern.endsWith('*') ? item.spec.name.startsWith(pattern.slice(0, -1)) : item.spec.name === pattern;
}
