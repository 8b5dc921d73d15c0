/** What stands after the names of things of which a scenario has several kinds (steps, faults, calls), for editors. */
import type { Check, Form } from '../../input/checks.js';

interface Kind {
  readonly about: string;
  /** Left out: nothing stands there. */
  readonly check?: Pick<Check<unknown>, 'form'>;
  /** Left out: the form that the check itself knows. */
  readonly form?: () => Form;
}

export function kindForms(kinds: Readonly<Record<string, Kind>>): Readonly<Record<string, Form>> {
  return Object.fromEntries(
    Object.entries(kinds).map(([name, { about, check, form }]) => [
      name,
      { description: about, ...(check ? (form ?? check.form)?.() : { type: 'null' }) },
    ]),
  );
}
