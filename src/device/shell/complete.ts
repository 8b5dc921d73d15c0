/**
 * What the TAB key could mean. The firmware has no such thing (its TAB key does nothing): this is for people at a terminal of
 * ours, who learn the commands from the very table that the shell runs.
 */
import type { ParameterSpec } from '../../profile/parameters.js';
import type { ConfigLayout, ConfigModule } from '../config/layout.js';
import type { Command } from './command.js';

/** The words that can stand in place of the last one of `line`, in order. Nothing after quotation marks. */
export function complete(roots: readonly Command[], layout: ConfigLayout, line: string): readonly string[] {
  if (/["'\\]/.test(line)) return [];
  const words = line.trimStart().split(/ +/);
  const begun = words.pop() ?? '';
  const fitting = (candidates: readonly string[]) =>
    [...new Set(candidates)].filter((candidate) => candidate.startsWith(begun)).sort();

  const [module, config, name] = words;
  const item = config === 'config' && words.length === 3 ? layout.find(module ?? '', name ?? '') : undefined;
  if (item) return fitting(valuesOf(item.spec));
  let commands = roots;
  for (const word of words) {
    const found = commands.find((command) => command.word === word);
    if (found === undefined) return [];
    commands = found.children ?? [];
  }
  const parameters = config === 'config' && words.length === 2 ? parametersOf(layout.module(module ?? '')) : [];
  return fitting([...commands.map(({ word }) => word), ...parameters]);
}

function parametersOf(module: ConfigModule | undefined): readonly string[] {
  if (module === undefined) return [];
  return ['show', ...module.items.map(({ spec }) => firstWord(spec)), ...(module.list ? [module.list.name] : [])];
}

/** The slots of a list of tags have spaces in their name. */
function firstWord({ name }: ParameterSpec): string {
  return name.split(' ')[0] ?? name;
}

function valuesOf(spec: ParameterSpec): readonly string[] {
  if (spec.type === 'enum') return spec.values;
  return spec.type === 'bool' ? ['true', 'false'] : [];
}
