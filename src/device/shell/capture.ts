/**
 * The output of a command as the firmware catches it for the cloud: one text, which it splits into lines again
 * (firmware shell, 7.1 and 7.3; wire protocol, 9.2 and 10).
 */

/** The catching buffer holds this many characters; the rest of the output is dropped in silence. */
const CAPTURE_MAX = 4095;
const COLUMNS = 80;
/** `~$ `, which the shell takes for printed when it works out where the cursor is. */
const PROMPT_LENGTH = 3;

/**
 * The text that is caught while `command` prints `lines`. It begins with a line end, because the shell leaves the
 * command line first, unless it believes that the cursor is at the start of a line already.
 */
export function captureOutput(command: string, lines: readonly string[]): string {
  const atLineStart = (command.length + PROMPT_LENGTH) % COLUMNS === 0;
  const text = (atLineStart ? '' : '\r\n') + lines.map((line) => `${line}\r\n`).join('');
  return text.slice(0, CAPTURE_MAX);
}

/**
 * Splits a captured text. Returns undefined when the firmware refuses it, because it does not begin with a line end.
 *
 * After each line end the firmware's splitter skips a character. So an empty line is not seen as one: it stays, as a
 * line end, at the front of the next line (wire protocol, 14, quirk 6). Text after the last line end is lost.
 */
export function splitCapture(text: string): readonly string[] | undefined {
  if (!text.startsWith('\r\n')) return undefined;
  const lines: string[] = [];
  let start = 2;
  while (true) {
    const end = text.indexOf('\r\n', start + 1);
    if (end < 0) return lines;
    lines.push(text.slice(start, end));
    start = end + 2;
  }
}
