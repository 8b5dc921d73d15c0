/**
 * The output of a command as the firmware captures it for the cloud. The firmware collects one text, and then splits it into
 * lines (shell S-43, S-44; wire W-53, W-56).
 */
import { Buffer } from 'node:buffer';

/** Size of the capture buffer in bytes; the firmware drops further output without an error. */
const CAPTURE_MAX = 4095;
const COLUMNS = 80;
/** Length of the prompt `~$ `, which the shell adds to the line when it computes the cursor position. */
const PROMPT_LENGTH = 3;

/**
 * The text that is captured while `command` prints `lines`. It begins with a line end that terminates the command line, unless
 * the computed cursor position is the start of a line.
 */
export function captureOutput(command: string, lines: readonly string[]): string {
  // The shell takes each byte for a column, also within a letter of several bytes.
  const atLineStart = (Buffer.byteLength(command) + PROMPT_LENGTH) % COLUMNS === 0;
  const text = (atLineStart ? '' : '\r\n') + lines.map((line) => `${line}\r\n`).join('');
  return Buffer.byteLength(text) <= CAPTURE_MAX ? text : Buffer.from(text).subarray(0, CAPTURE_MAX).toString();
}

/**
 * Splits a captured text. Returns undefined if the text does not begin with a line end: the firmware rejects such a text.
 *
 * After each line end the firmware's splitter skips a character. Therefore the firmware does not recognise an empty line: its
 * line end stays at the front of the next line (wire W-56). Text after the last line end is lost.
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
