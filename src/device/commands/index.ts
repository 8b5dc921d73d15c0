/** Builds the shell of a device type. */
import type { CommandWord } from '../../profile/command-words.js';
import type { ModuleSpec } from '../../profile/parameters.js';
import { Shell } from '../shell/shell.js';
import { COMMAND_GROUPS } from './groups.js';

/** Builds the shell of a device type from its command groups and configuration modules; all its devices share it. */
export function buildShell(groups: readonly CommandWord[], modules: readonly ModuleSpec[]): Shell {
  const has = (name: string) => modules.some((module) => module.name === name);
  return new Shell(groups.flatMap((name) => (name === 'help' ? [] : [COMMAND_GROUPS[name](has)])));
}
