import type { CommandWord } from '../../profile/command-words.js';
import type { ModuleSpec } from '../../profile/parameters.js';
import type { FamilyName } from '../../profile/profile.js';
import { Shell } from '../shell/shell.js';
import { COMMAND_GROUPS, GROUPS_OF_FAMILY } from './groups.js';

/** Builds the shell of a device type from its command groups and configuration modules; all its devices share it. */
export function buildShell(
  groups: readonly CommandWord[],
  modules: readonly ModuleSpec[],
  family: FamilyName = 'chester',
): Shell {
  const has = (name: string) => modules.some((module) => module.name === name);
  const own = GROUPS_OF_FAMILY[family];
  return new Shell(groups.flatMap((name) => (name === 'help' ? [] : [own[name] ?? COMMAND_GROUPS[name](has)])));
}
