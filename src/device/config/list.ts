/**
 * A list of numbers in the configuration, set by commands instead of values (applications: wmbus):
 *
 *     app config address add 12345678 | remove 12345678 | erase | count 2 | gen 5
 *
 * `count` is there for listings that are sent back: whatever its number, it empties the list, and the lines that follow fill it.
 */
import type { DeviceConfig } from './device-config.js';
import type { ConfigItem, ConfigList, ConfigModule } from './layout.js';
import { leadingInteger } from './number.js';

/** What `gen` fills a list with, counting up. */
const GENERATED_FROM = 81_763_000;
/** The firmware reads numbers into an int, and what does not fit comes out negative. */
const LARGEST = 2_147_483_647;

/** A change that was carried out, one that the firmware complains about, or words that are no command of a list. */
type ListOutcome = 'done' | { readonly complaint: string } | 'unknown';

/** Runs the words after `app config address`. */
export function changeList(config: DeviceConfig, list: ConfigList, words: readonly string[]): ListOutcome {
  const [command, number] = words;
  if (command === 'count' || (command === 'erase' && words.length === 1)) return erase(config, list);
  if (number === undefined || words.length !== 2) return 'unknown';
  if (command === 'gen') return generate(config, list, leadingInteger(number));
  if (command !== 'add' && command !== 'remove') return 'unknown';
  if (!/^\d+$/.test(number)) return { complaint: 'invalid format' };
  if (Number(number) > LARGEST) return { complaint: 'invalid range' };
  const found = list.items.filter((item) => config.read(item) === Number(number));
  if (command === 'remove') {
    for (const item of found) config.write(item, '0');
    return found.length > 0 ? 'done' : { complaint: 'item not found' };
  }
  // An empty place holds 0, so that 0 is always there already unless the list is full.
  if (found.length > 0) return { complaint: 'address already exists' };
  const free = list.items.find((item) => config.read(item) === 0);
  if (free === undefined) return { complaint: 'no empty position' };
  config.write(free, number);
  return 'done';
}

/** `app config address count 2`, of the running firmware, and a line for each number that the shell has. */
export function listLines(config: DeviceConfig, module: ConfigModule): readonly string[] {
  const { list } = module;
  if (list === undefined) return [];
  const head = `${module.name} config ${list.name}`;
  return [`${head} count ${config.list(module.name).length}`, ...numberLines(config, module)];
}

/** The lines with the numbers alone. */
export function numberLines(config: DeviceConfig, { name, list }: ConfigModule): readonly string[] {
  const numbers = (list?.items ?? []).map((item) => config.read(item)).filter((number) => number !== 0);
  return numbers.map((number) => `${name} config ${list?.name} add ${number}`);
}

function erase(config: DeviceConfig, list: ConfigList): ListOutcome {
  for (const item of list.items) config.write(item, '0');
  return 'done';
}

function generate(config: DeviceConfig, list: ConfigList, count: number): ListOutcome {
  list.items.slice(0, Math.max(0, count)).forEach((item: ConfigItem, n) => {
    config.write(item, String(GENERATED_FROM + n));
  });
  return 'done';
}
