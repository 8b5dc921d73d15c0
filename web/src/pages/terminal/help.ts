/** The text that `.help` prints in a terminal of the console. */
import type { ControlDescription } from '../../../../src/console/control-help.js';

/** Explains the lines that a user can type. @param columns maximum number of characters in a row */
export function helpText(controls: readonly ControlDescription[], columns: number): string {
  const rows = controls.flatMap(({ name, usage, about }) => [
    ...wrapped(`${name} ${usage}`, '  ', columns),
    ...wrapped(about, '      ', columns),
  ]);
  return [...wrapped(SHELL, '', columns), ...wrapped(DOT, '', columns), ...rows].join('\n');
}

const SHELL = 'Lines go to the shell of each selected device: "help" lists its commands.';
const DOT = 'Lines that begin with a dot act on the devices from outside:';

/** Breaks a text between words. */
function wrapped(text: string, indent: string, columns: number): readonly string[] {
  const rows: string[] = [];
  for (const word of text.trim().split(' ')) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + word.length < columns) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(indent + word);
  }
  return rows;
}
