/** Checks lines for the shell of a device. */
import { Buffer } from 'node:buffer';
import { type Check, complain, type Form, formed, list } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';

/** The shell's buffer has 256 bytes with the NUL: a longer line fails the whole downlink (shell S-2, S-3). */
const LONGEST_LINE = 255;
/** Limit of the lines of a downlink in the API. */
const MOST_LINES = 100;

/** One line of a downlink. */
const line: Check<string> = lineCheck(shellLine);

/** A list of lines of a downlink. */
export const shellLines = list(line, 1, MOST_LINES, `a list of 1 to ${MOST_LINES} lines`);

/** A line that is typed at the terminal of a device. */
export const typedLine: Check<string> = lineCheck((node, problems, text) => {
  if (/^[\x20-\x7e]*$/.test(text)) return shellLine(node, problems, text);
  problems.add(node, 'a typed line must be printable ASCII, because the terminal drops everything else');
  return false;
});

/** Whether a device accepts `text` as a line of a downlink; if it does not, a problem is noted at `node`. */
export function shellLine(node: LocatedNode, problems: Problems, text: string): boolean {
  const bytes = Buffer.byteLength(text);
  if (bytes > LONGEST_LINE) {
    problems.add(node, `the line has ${bytes} bytes; a device accepts at most ${LONGEST_LINE}`);
  } else if (/[\0\r\n]/.test(text)) {
    problems.add(node, 'a line must not contain a line end or the character NUL');
  } else {
    return true;
  }
  return false;
}

function lineCheck(accepts: (node: LocatedNode, problems: Problems, text: string) => boolean): Check<string> {
  return formed(lineForm, (node, problems) => {
    if (node.kind !== 'scalar' || node.value === null || node.source.trim() === '')
      return complain(node, problems, 'a line');
    const text = typeof node.value === 'string' ? node.value : node.source;
    return accepts(node, problems, text) ? text : undefined;
  });
}

function lineForm(): Form {
  return { type: ['string', 'number', 'boolean'] };
}
