/**
 * A list of numbers in the configuration, which commands change entry by entry (catalog.json, wmbus):
 *
 *     app config address add 12345678 | remove 12345678 | erase | count 2 | gen 5
 *
 * A listing can be used as input: its `count` line empties the list, whatever the number is, and its `add` lines fill it again.
 */
import type { DeviceConfig } from './device-config.js';
import type { ConfigItem, ConfigList, ConfigModule } from './layout.js';
import { leadingInteger } from './number.js';

/** First number with which `gen` fills a list; it counts up from there. */
const GENERATED_FROM = 81_763_000;
/** The firmware reads numbers into a signed int; larger numbers would become negative. */
const LARGEST = 2_147_483_647;

/** Result of a list command: the change was made, the firmware rejected it, or the words are not a list command. */
type ListOutcome = 'done' | { readonly complaint: string } | 'unknown';

/** Runs a list command: the words after `app config address`. */
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
  // An empty entry holds 0. So the firmware rejects `add 0` as a duplicate, unless the list is full.
  if (found.length > 0) return { complaint: 'address already exists' };
  const free = list.items.find((item) => config.read(item) === 0);
  if (free === undefined) return { complaint: 'no empty position' };
  config.write(free, number);
  return 'done';
}

/**
 * The lines of `config show` for a list: `app config address count 2`, then `app config address add …` for each number. The
 * count is that of the live copy (device-config.ts); the numbers are those of the interim copy, with unsaved changes.
 */
export function listLines(config: DeviceConfig, module: ConfigModule): readonly string[] {
  const { list } = module;
  if (list === undefined) return [];
  const head = `${module.name} config ${list.name}`;
  return [`${head} count ${config.list(module.name).length}`, ...numberLines(config, module)];
}

/** The lines of {@link listLines} without the first. */
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
