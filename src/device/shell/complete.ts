/**
 * Completion of command lines for the console's TAB key, from the command tree that the shell runs. The firmware has no
 * completion: its TAB key does nothing.
 */
import type { ParameterSpec } from '../../profile/parameters.js';
import type { ConfigLayout, ConfigModule } from '../config/layout.js';
import type { Command } from './command.js';

/** The possible completions of the last word of `line`, sorted; none if the line has quotation marks or a backslash. */
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

/** The names of tag slots contain spaces: `devices addr 0`. */
function firstWord({ name }: ParameterSpec): string {
  return name.split(' ')[0] ?? name;
}

function valuesOf(spec: ParameterSpec): readonly string[] {
  if (spec.type === 'enum') return spec.values;
  return spec.type === 'bool' ? ['true', 'false'] : [];
}
