/** JSON Schemas of the values after the names of kinds (steps, faults, calls, setup), for editors. */
import { type Check, type Form, formOf } from '../../input/checks.js';
import { noOptions } from './no-options.js';

interface Kind {
  readonly about: string;
  /** Check of the value after the name; left out if the kind has no value. */
  readonly check?: Pick<Check<unknown>, 'form'>;
  /** JSON Schema of the value. Default: the form of `check`. */
  readonly form?: () => Form;
}

export function kindForms(kinds: Readonly<Record<string, Kind>>): Readonly<Record<string, Form>> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, { about, check, form }]) => [
      name,
      { description: about, ...(check ? (form ?? check.form)?.() : formOf(noOptions)) },
    ]),
  );
}
