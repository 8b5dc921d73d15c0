/** `If-Match: "7"`: a change that is carried out only if the resource has not been changed since it was read. */

import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { Field } from '../../contract/values.js';
import { ApiFault } from '../http/errors.js';

/** The header, for the resource `what`. */
export function conditionHeaders(what: string) {
  const description = `the \`version\` of the ${what} in quotation marks, such as "7"; the change is rejected if it has another one`;
  return Type.Object({
    'if-match': Type.Optional(
      Field(
        `The version on which the change is based, as in \`"7"\`. A ${what} with another version is not changed.`,
        Type.String({ pattern: '^"[0-9]{1,15}"$', description }),
        '"3"',
      ),
    ),
  });
}

/** The documentation of the answer if the condition does not hold. */
export function conditionErrors(what: string) {
  return { 412: `The ${what} no longer has the version of \`If-Match\` (\`changed-meanwhile\`).` };
}

/** Conditions that no change can have, because no resource has an `ETag` or `Last-Modified`. */
const OTHER_CONDITIONS = ['if-none-match', 'if-unmodified-since'] as const;

/** Rejects a change whose condition would be ignored, because what it changes has no version. */
export async function refuseCondition({ method, headers, routeOptions }: FastifyRequest): Promise<void> {
  if (method === 'GET' || method === 'HEAD') return;
  const other = OTHER_CONDITIONS.find((name) => headers[name] !== undefined);
  if (other !== undefined) {
    const message = `this service has no \`${other}\`: to change only a certain version of a device or connector, send \`If-Match\``;
    throw new ApiFault(400, message, 'no-condition');
  }
  if (headers['if-match'] === undefined) return;
  // The cast is safe because every route has the schema of an operation, or none.
  const schema = routeOptions.schema as { readonly headers?: { readonly properties?: object } } | undefined;
  if ('if-match' in (schema?.headers?.properties ?? {})) return;
  const message = 'this request cannot have a condition: `If-Match` is for changes of a device or connector by its id';
  throw new ApiFault(400, message, 'no-condition');
}

/** The version in a header that fits the schema; undefined without the header. */
export function versionIn(header: string | undefined): number | undefined {
  return header === undefined ? undefined : Number(header.slice(1, -1));
}

export function changedMeanwhile(what: string): ApiFault {
  const message = `the ${what} has been changed meanwhile: read it again, and repeat your change of it`;
  return new ApiFault(412, message, 'changed-meanwhile');
}
