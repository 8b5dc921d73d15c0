/**
 * Configuration in a scenario, as a map or as shell lines:
 *
 *     config: { interval-report: 900, mode: lte, lte apn: iot.1nce.net }
 *     config: [app config interval-report 900, app config mode lte, lte config apn iot.1nce.net]
 *
 * The lines of a list are passed on unchanged, so that a scenario can also send an invalid line. For valid lines, use the map.
 */
import { complain, eitherForm, type Form, formed, formOf } from '../../input/checks.js';
import type { LocatedNode, ScalarNode } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import { shellLine, shellLines } from './shell-lines.js';

/** The module of a parameter that is written without one. */
export const DEFAULT_MODULE = 'app';

/** Reads either form. Returns lines such as `app config interval-report 900`. */
export const configLines = formed(
  (): Form => eitherForm(MAP_FORM, formOf(shellLines)),
  (node, problems) => {
    if (node.kind === 'list') return shellLines(node, problems);
    if (node.kind !== 'map' || node.entries.size === 0) {
      return complain(
        node,
        problems,
        'a map of parameters to values, or a list of lines such as "app config mode lte"',
      );
    }
    const lines: string[] = [];
    for (const [name, { key, value }] of node.entries) {
      const words = /^(?:([a-z0-9]+) )?([a-z0-9_-]+)$/.exec(name);
      if (!words) {
        const meant = name.replace(/^(\S+) config /, '$1 ');
        const hint = meant === name ? '' : ` (did you mean ${quote(meant)}?)`;
        problems.add(key, `${quote(name)} is not a parameter such as "interval-report" or "lte apn"${hint}`);
      } else if (value.kind !== 'scalar' || value.value === null)
        complain(value, problems, 'a text, a number, true or false');
      else lines.push(`${words[1] ?? DEFAULT_MODULE} config ${words[2]} ${shellWord(value)}`);
    }
    return lines.length === node.entries.size && lines.every((line) => shellLine(node, problems, line))
      ? lines
      : undefined;
  },
);

const MAP_FORM: Form = {
  type: 'object',
  minProperties: 1,
  additionalProperties: { type: ['string', 'number', 'boolean'] },
};

/** The place of each line that {@link configLines} reads from a node. */
export function configPlaces(node: LocatedNode): readonly LocatedNode[] {
  if (node.kind === 'list') return node.items;
  return node.kind === 'map' ? [...node.entries.values()].map(({ value }) => value) : [];
}

/** Whether one of the lines sets `parameter` of `module`. */
export function sets(lines: readonly string[], module: string, parameter: string): boolean {
  return lines.some((line) => {
    const [first, second, third, fourth] = line.trim().split(/\s+/);
    return first === module && second === 'config' && third === parameter && fourth !== undefined;
  });
}

/** A value as one shell word (shell S-3), as written, and if possible without quotes: some firmware only strips them. */
function shellWord(node: ScalarNode): string {
  const text = typeof node.value === 'number' ? node.source : String(node.value);
  if (PLAIN.test(text)) return text;
  return ESCAPED.test(text) ? text.replace(/[\s"'\\]/g, '\\$&') : `"${text}"`;
}

/** A word that the shell passes on as it is. */
const PLAIN = /^[^\s"'\\]+$/;
/** A text that the shell would change inside quotation marks. */
const ESCAPED = /"|\\$|\\0[0-7]|\\x[\dA-Fa-f]/;
