/**
 * Converts a JavaScript value to the same kind of tree as a parsed file, so that the same checks apply to it. The places in
 * the tree are paths, such as `steps[2].at`.
 */
import type { LocatedNode, ScalarNode } from './document.js';

/** @param name of the value itself, for messages; values inside it are named by their paths: `steps[2].at` */
export function valueNode(value: unknown, name: string): LocatedNode {
  return nodeOf(value, '', name);
}

function nodeOf(value: unknown, path: string, name = path): LocatedNode {
  // Line 0 means that the value is not from a file.
  const place = { file: name, line: 0, column: 0 };
  if (Array.isArray(value)) {
    return { kind: 'list', ...place, items: value.map((item, i) => nodeOf(item, `${path}[${i}]`)) };
  }
  if (typeof value === 'object' && value !== null) {
    const given = Object.entries(value).filter(([, entry]) => entry !== undefined);
    const entries = given.map(([key, entry]) => {
      const node = nodeOf(entry, path === '' ? key : `${path}.${key}`);
      return [key, { key: node, value: node }] as const;
    });
    return { kind: 'map', ...place, entries: new Map(entries) };
  }
  return { kind: 'scalar', ...place, value: scalar(value), source: value === null ? '' : String(value), textColumn: 0 };
}

function scalar(value: unknown): ScalarNode['value'] {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}
