/**
 * Reads a scenario file, merges the included files and replaces variables by their values. The result is one tree in which
 * every value has the file and the line from which it comes.
 */
import { type LocatedNode, type MapNode, type Problems, readYaml } from '../../input/document.js';
import { InputError } from '../../input/problems.js';
import type { NamedText } from '../../input/text-file.js';
import { resolveIncludes } from './includes.js';
import { type GivenVariables, readVariables, substitute } from './variables.js';

export interface SourceFiles extends GivenVariables {
  /** Reads a file; `path` is relative to the folder of the scenario. @throws Error with the reason */
  readonly readFile: (path: string) => NamedText;
}

/**
 * @param file the name of the scenario file, for messages
 * @param problems receives all problems except syntax errors of the scenario file
 * @throws InputError if the scenario file is not valid YAML
 */
export function readSource(source: string, file: string, files: SourceFiles, problems: Problems): LocatedNode {
  const root = readRoot(source, file);
  if (root.kind !== 'map') return root;
  const whole = resolveIncludes(root, files.readFile, problems);
  const variables = readVariables(whole, files, problems);
  const entries: MapNode['entries'] = new Map(
    [...whole.entries].map(([key, entry]) =>
      key === 'vars' ? [key, entry] : [key, { ...entry, value: substitute(entry.value, variables, problems) }],
    ),
  );
  return { ...whole, entries };
}

/** Reads the YAML text. An unquoted `${x}` within `{ }` or `[ ]` is not valid YAML; the error for it has a hint. */
function readRoot(source: string, file: string): LocatedNode {
  try {
    return readYaml(source, file);
  } catch (error) {
    const lines = source.split('\n');
    const hinted =
      error instanceof InputError && error.problems.some(({ line }) => /[{[,:]\s*\$\{/.test(lines[line - 1] ?? ''));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the syntax of scenarios
    throw hinted ? new InputError(error.problems, 'within { } or [ ] a variable needs quotes: "${name}"') : error;
  }
}
