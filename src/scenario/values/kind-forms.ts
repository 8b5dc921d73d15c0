/** JSON Schemas of the values after the names of kinds (steps, faults, calls, setup), for editors. */
import { type Check, type Form, formOf } from '../../input/checks.js';
import { plain, readYaml } from '../../input/document.js';
import { isObject } from '../../kernel/json-text.js';
import { noOptions } from './no-options.js';

interface Kind {
  readonly about: string;
  /** `outage: both` */
  readonly example: string;
  /** Check of the value after the name; left out if the kind has no value. */
  readonly check?: Pick<Check<unknown>, 'form'>;
  /** JSON Schema of the value. Default: the form of `check`. */
  readonly form?: () => Form;
}

export function kindForms(kinds: Readonly<Record<string, Kind>>): Readonly<Record<string, Form>> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, { about, example, check, form }]) => [
      name,
      {
        description: about,
        examples: [readExample(name, example)],
        ...(check ? (form ?? check.form)?.() : formOf(noOptions)),
      },
    ]),
  );
}

function readExample(name: string, example: string): unknown {
  const read = plain(readYaml(example, name));
  return isObject(read) ? read[name] : undefined;
}
