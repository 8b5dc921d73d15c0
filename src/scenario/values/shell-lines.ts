/** Checks lines for the shell of a device. */
import { type Check, complain, type Form, formed, list } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';

/**
 * The buffer of the shell has room for 256 characters including the final NUL. A longer line makes the whole downlink fail
 * (firmware shell, 1).
 */
const LONGEST_LINE = 255;
/** Limit of the lines of a downlink in the API. */
const MOST_LINES = 100;

/** One line. */
export const line: Check<string> = formed(lineForm, (node, problems) => {
  if (node.kind !== 'scalar' || node.value === null || node.source.trim() === '')
    return complain(node, problems, 'a line');
  const text = typeof node.value === 'string' ? node.value : node.source;
  return shellLine(node, problems, text) ? text : undefined;
});

/** A list of lines. */
export const shellLines = list(line, 1, MOST_LINES, `a list of 1 to ${MOST_LINES} lines`);

/** Whether the shell accepts `text` as a line; if it does not, a problem is noted at `node`. */
export function shellLine(node: LocatedNode, problems: Problems, text: string): boolean {
  if (text.length > LONGEST_LINE) {
    problems.add(node, `the line has ${text.length} characters; a device accepts at most ${LONGEST_LINE}`);
  } else if (!/^[\x20-\x7e]*$/.test(text)) {
    problems.add(node, 'a line must be printable ASCII');
  } else {
    return true;
  }
  return false;
}

function lineForm(): Form {
  return { type: ['string', 'number', 'boolean'] };
}
