/** `<module> config …`: the same command in every module with parameters (firmware shell, 3.2). */
import type { DeviceConfig } from '../config/device-config.js';
import type { ConfigItem, ConfigModule } from '../config/layout.js';
import { helpLines, readLine } from '../config/text.js';
import type { Command } from '../shell/command.js';
import { ok } from './results.js';

/** The command `config` of the module with the shell word `module`. Its result is always 0, refused values included. */
export function moduleConfig(module: string): Command {
  return {
    word: 'config',
    help: 'Show or set parameters: [show | <name> [<value>]]; a name may end in * to mean all that begin so.',
    args: [0, 3],
    run: (host, [name, value, surplus]) => {
      const { config } = host;
      const found = config.layout.module(module);
      const items = found?.items ?? [];
      if (found && name === 'show' && value === undefined)
        return ok(...configLines(config, listedItems(config, found)));
      // One word too many is within what the shell lets through, and the firmware does nothing with it.
      if (surplus !== undefined) return ok();
      const chosen = name === undefined ? [] : items.filter((item) => matches(item, name));
      if (chosen.length === 0) return ok(...items.flatMap((item) => helpLines(item.spec)));
      if (value === undefined) return ok(...configLines(config, chosen));
      return ok(...chosen.flatMap((item) => config.write(item, value) ?? []));
    },
  };
}

/** What a listing of a module shows. */
export function listedItems(config: DeviceConfig, { items, hidden }: ConfigModule): readonly ConfigItem[] {
  if (hidden === undefined || config.read(hidden.unless) === hidden.is) return items;
  return items.filter((item) => !hidden.items.includes(item));
}

/** The read lines of these parameters: what `config show` prints. */
export function configLines(config: DeviceConfig, items: readonly ConfigItem[]): readonly string[] {
  return items.map((item) => readLine(item, config.read(item)));
}

/** `backup-report-connected` is matched by itself, by `backup-*` and by `*`. */
function matches(item: ConfigItem, pattern: string): boolean {
  return pattern.endsWith('*') ? item.spec.name.startsWith(pattern.slice(0, -1)) : item.spec.name === pattern;
}
