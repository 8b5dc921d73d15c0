/** Lines for a device's shell, as long as the device takes them. */
import { type Check, complain, type Form, formed, list } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';

/** The shell's buffer holds 256 characters with the final NUL; a longer line spoils the whole downlink (firmware shell, 1). */
const LONGEST_LINE = 255;
/** More in one downlink the API refuses. */
const MOST_LINES = 100;

/** One line. */
export const line: Check<string> = formed(lineForm, (node, problems) => {
  if (node.kind !== 'scalar' || node.value === null || node.source.trim() === '')
    return complain(node, problems, 'a line');
  const text = typeof node.value === 'string' ? node.value : node.source;
  return shellLine(node, problems, text) ? text : undefined;
});

/** One line or more. */
export const shellLines = list(line, 1, MOST_LINES, `a list of 1 to ${MOST_LINES} lines`);

/** Notes a problem at `node` when the device could not take `text`. */
export function shellLine(node: LocatedNode, problems: Problems, text: string): boolean {
  if (text.length > LONGEST_LINE) {
    problems.add(node, `the line has ${text.length} characters; a device takes ${LONGEST_LINE}`);
  } else if (!/^[\x20-\x7e]*$/.test(text)) {
    problems.add(node, 'a device takes only plain ASCII in one line');
  } else {
    return true;
  }
  return false;
}

function lineForm(): Form {
  return { type: ['string', 'number', 'boolean'] };
}
