/** What commands.test.ts and commands.long.test.ts share. */
import { argumentsOf, commandsOf, type DocumentCommand, documents } from '../../scripts/docs/commands.js';

export const cheap = new Map(
  documents().flatMap((page) => {
    const list = commandsOf(page).filter(isCheap);
    return list.length === 0 ? [] : [[page, list] as const];
  }),
);

export function placeOf({ page, line, typed }: DocumentCommand): string {
  return `${page}:${line} ${typed}`;
}

/**
 * Whether a command takes only milliseconds and needs nothing outside of this process. A run must also show something: its
 * output, or a folder that other commands read.
 */
function isCheap(command: DocumentCommand): boolean {
  const [verb = '', file = '', ...rest] = argumentsOf(command) ?? [];
  const words = [file, ...rest].join(' ');
  if (verb === 'run') {
    if (!/^(my|small)\.yaml$/.test(file) || /--clock real|--target|--seeds|--workers|--metrics/.test(words))
      return false;
    return command.printed.length > 0 || words.includes('--out');
  }
  if (verb === 'inspect') return !/\.pcapng|>/.test(words);
  if (/^(compare|diverge)$/.test(verb)) return command.printed.length === 0 && !words.includes('--html');
  if (words.includes('--slowest')) return false;
  return /^(plan|validate|list|profile|explain)$/.test(verb) && !/scenarios\/|depot/.test(words);
}
