/** The layout of help texts (shell S-7). */
import type { Command } from './command.js';

const COLUMNS = 80;

/** What `<command> -h` prints. */
export function commandHelp(command: Command): readonly string[] {
  const head = wrap(`${command.word} - `, command.help);
  const children = command.children ?? [];
  return children.length === 0 ? head : [...head, 'Subcommands:', ...twoColumns(children)];
}

/** What `help` prints, for all root commands. */
export function rootHelp(roots: readonly Command[]): readonly string[] {
  return ['Add -h or --help to any command to see what it does.', '', 'Available commands:', ...twoColumns(roots)];
}

function twoColumns(commands: readonly Command[]): readonly string[] {
  const width = Math.max(...commands.map((command) => command.word.length));
  return commands.flatMap((command) => wrap(`  ${command.word.padEnd(width)}  : `, command.help));
}

/** `head` and `text` in lines of at most 80 columns, broken at spaces; further lines are indented to the start of the text. */
function wrap(head: string, text: string): readonly string[] {
  const width = COLUMNS - head.length;
  const lines: string[] = [];
  let rest = text.trimStart();
  while (rest.length > width) {
    const space = rest.lastIndexOf(' ', width);
    const cut = space > 0 ? space : width;
    lines.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  lines.push(rest);
  return lines.map((line, i) => (i === 0 ? head : ' '.repeat(head.length)) + line);
}
