/** A line of a console: a command, optionally after a selector for its devices. */

/**
 * Splits `fw<3.1 : info show` at the first colon between spaces that is not in quotation marks.
 * @returns without `selection` if the line has no such colon
 */
export function splitLine(line: string): { readonly selection?: string; readonly command: string } {
  let quoted: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const char = line.charAt(i);
    if (quoted !== undefined) quoted = char === quoted ? undefined : quoted;
    else if (char === '"' || char === "'") quoted = char;
    else if (char === ':' && (line[i - 1] ?? ' ') === ' ' && (line[i + 1] ?? ' ') === ' ') {
      return { selection: line.slice(0, i).trimEnd(), command: line.slice(i + 1).trim() };
    }
  }
  return { command: line.trim() };
}
