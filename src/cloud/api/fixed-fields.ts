/** Fields that are set once. A client may send a resource as it has read it; another value is not silently ignored. */

import { ApiFault } from '../http/errors.js';

/** @throws ApiFault 400 with this code if the body has another value than `is`. Upper and lower case are equal */
export function needSame(
  body: object,
  {
    field,
    is,
    why,
    code,
  }: { readonly field: string; readonly is: string | null; readonly why: string; readonly code: string },
): void {
  const given: unknown = Object.hasOwn(body, field) ? body[field as keyof typeof body] : is;
  const folded = (value: unknown) => (typeof value === 'string' ? value.toLowerCase() : value);
  if (folded(given) === folded(is)) return;
  throw new ApiFault(400, `body/${field} is not ${JSON.stringify(is)}: ${why}`, code);
}
