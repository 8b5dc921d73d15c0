/** Checks that an entry such as `windows thermometer.temperature` fits its key's layout and modifiers in the decoder. */
import type { Problems, ScalarNode } from '../input/document.js';
import { quote } from '../input/problems.js';
import type { CodecColumn, CodecField } from '../protocol/codec.js';
import type { BodyParts } from './body-references.js';

/** Layouts of arrays, with the modifier of each (wire W-66). */
const LAYOUTS = { period: '$tsp', offsets: '$tso' } as const;

/** The columns of an array in the decoder. If their names are not `wanted`, notes a problem and returns undefined. */
export function findColumns(
  field: CodecField,
  kind: keyof typeof LAYOUTS,
  wanted: readonly string[],
  node: ScalarNode,
  { parts, problems }: { readonly parts: BodyParts; readonly problems: Problems },
): readonly CodecColumn[] | undefined {
  // If the section `sensors` or `events` has errors, the wanted columns are not known.
  if (parts.sensors === undefined || parts.eventLists === undefined) return undefined;
  const { series } = field;
  const columns = series?.kind === kind ? series.columns : [];
  if (columns.map(({ name }) => name).join() === wanted.join()) return columns;
  const layout = `${LAYOUTS[kind]} of ${wanted.join(', ')}`;
  problems.add(node, `${quote(field.path)} must be a ${layout} in the decoder for this source`);
  return undefined;
}

/** The common factor of the columns, see {@link findDivide}. Notes a problem if their factors differ. */
export function checkSameDivide(
  columns: readonly CodecColumn[],
  path: string,
  node: ScalarNode,
  problems: Problems,
): number {
  const [first = 1, ...others] = columns.map((column) => findDivide(column, path, node, problems));
  if (others.some((divide) => divide !== first)) {
    problems.add(node, `the columns of ${quote(path)} must all be divided by the same number`);
  }
  return first;
}

/** The factor by which the firmware multiplies a measured value. The decoder divides by the same number. */
export function findDivide(column: CodecColumn, path: string, node: ScalarNode, problems: Problems): number {
  let divide = 1;
  for (const modifier of column.modifiers) {
    if (modifier.kind === 'div') divide *= modifier.by;
    else if (modifier.kind !== 'fpp') {
      problems.add(node, `${quote(path)} has $${modifier.kind} in the decoder; a measured value can have $div only`);
    }
  }
  return divide;
}
