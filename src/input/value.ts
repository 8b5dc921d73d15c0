/** Converts a JavaScript value to the tree of a parsed file, for the same checks. Places are paths: `steps[2].at`. */
import { NOT_UNICODE } from '../kernel/json-text.js';
import { type LocatedNode, type Place, Problems, type ScalarNode } from './document.js';
import { quote } from './problems.js';

/**
 * @param name of the value itself, for messages; values inside it are named by their paths: `steps[2].at`
 * @throws InputError if a text or a key in it is not valid Unicode, or if a value in it has no form in a file
 */
export function valueNode(value: unknown, name: string): LocatedNode {
  const problems = new Problems();
  const node = nodeOf(value, problems, { path: '', around: [] }, name);
  problems.finish();
  return node;
}

/** Values that no file has, by the names that JavaScript gives them; Promise: without its `await`. */
const NOT_IN_FILES = /^(?:Date|URL|Map|Set|Promise|RegExp|Function|AsyncFunction|BigInt|Symbol)$/;

interface Depth {
  readonly path: string;
  /** The values that contain this one. */
  readonly around: readonly unknown[];
}

function nodeOf(value: unknown, problems: Problems, { path, around }: Depth, name = path.toWellFormed()): LocatedNode {
  // Line 0 means that the value is not from a file.
  const place = { file: name, line: 0, column: 0 };
  const type = Object.prototype.toString.call(value).slice('[object '.length, -1);
  const fault = NOT_IN_FILES.test(type)
    ? `a ${type} is not a text, a number, a boolean, a list or an object`
    : around.includes(value) && typeof value === 'object' && value !== null && 'the object contains itself';
  if (fault !== false) {
    problems.add(place, fault);
    return { kind: 'scalar', ...place, value: null, source: '', textColumn: 0 };
  }
  const inside = typeof value === 'object' ? [...around, value] : around;
  if (Array.isArray(value)) {
    const items = value.map((item, i) => nodeOf(item, problems, { path: `${path}[${i}]`, around: inside }));
    return { kind: 'list', ...place, items };
  }
  if (typeof value === 'object' && value !== null) {
    const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
    const entries = given.map(([key, entry]) => {
      const node = nodeOf(entry, problems, { path: path === '' ? key : `${path}.${key}`, around: inside });
      noteText(key, problems, node);
      return [key, { key: node, value: node }] as const;
    });
    return { kind: 'map', ...place, entries: new Map(entries) };
  }
  if (typeof value === 'string') noteText(value, problems, place);
  return { kind: 'scalar', ...place, value: scalar(value), source: value === null ? '' : String(value), textColumn: 0 };
}

function noteText(text: string, problems: Problems, place: Place): void {
  if (!text.isWellFormed()) problems.add(place, `${quote(text.toWellFormed())} ${NOT_UNICODE}`);
}

function scalar(value: unknown): ScalarNode['value'] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
