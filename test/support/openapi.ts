/**
 * Checks answers against the OpenAPI document: their status, their body, and that they have no undocumented fields. Tests of
 * the API and the fuzz script use it.
 */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  readonly tags: readonly { readonly name: string }[];
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

/** JSON schema, without references: see {@link inlined}. */
export type Schema = Readonly<Record<string, unknown>>;

export interface DocumentedOperation {
  readonly operationId?: string;
  readonly description?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Answer {
  readonly description: string;
  readonly content?: Content;
}

/** Bodies by their media type. */
export type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

/** The document with every reference replaced by its target. */
export function inlined(document: Document): Document {
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit);
    if (typeof node !== 'object' || node === null) return node;
    if ('$ref' in node) return visit(target(document, String(node.$ref)));
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, visit(value)]));
  };
  // The cast is safe because only references were replaced.
  return visit(document) as Document;
}

/** The target of a reference such as `#/components/schemas/Tag`. */
function target(document: Document, reference: string): unknown {
  const steps = reference.split('/').slice(1);
  // The cast is safe because any object can be indexed by any key.
  return steps.reduce<unknown>((node, step) => (node as Record<string, unknown>)[step], document);
}

/** Describes how an answer differs from the document; returns undefined if it does not differ. */
export type Judge = (
  method: string,
  path: string,
  status: number,
  contentType: string,
  body: string,
) => string | undefined;

/** @param document the document without references */
export function judge({ paths, components }: Document): Judge {
  const failure: Answer = {
    description: '',
    content: { 'application/json': { schema: components.schemas.Error as Schema } },
  };
  const operations = Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, operation, template, matches: matcher(template) })),
  );
  // A fixed segment wins over a parameter, as in the router.
  operations.sort((a, b) => parametersIn(a.template) - parametersIn(b.template));
  const checks = new Map<Schema, ReturnType<typeof Compile>>();
  const check = (schema: Schema, value: unknown): string | undefined => {
    let validator = checks.get(schema);
    if (!validator) {
      validator = Compile(closed(schema) as TSchema);
      checks.set(schema, validator);
    }
    if (validator.Check(value)) return undefined;
    return validator
      .Errors(value)
      .map(({ instancePath, message, params }) => `${instancePath || 'the body'} ${message} ${JSON.stringify(params)}`)
      .join('; ');
  };

  return (method, path, status, contentType, body) => {
    const plain = path.split('?', 1)[0]?.replace(/(.)\/$/, '$1') ?? '';
    const found = operations.find((each) => each.method === method.toLowerCase() && each.matches.test(plain));
    const name = `${method} ${found?.template ?? plain} ${status}`;
    const answer =
      found?.operation.responses[status] ??
      (ANYWHERE.includes(status) || (!found && NOWHERE.includes(status)) ? failure : undefined);
    if (!answer) return `${name} is not in the document`;
    const [media] = Object.entries(answer.content ?? {});
    if (!media) return body === '' ? undefined : `${name} has a body, the document has none`;
    const [type, { schema }] = media;
    if (!contentType.startsWith(type)) return `${name} is ${contentType}, not ${type}`;
    if (type !== 'application/json') return undefined;
    let value: unknown;
    try {
      value = JSON.parse(body);
    } catch {
      return `${name} is not JSON`;
    }
    const wrong = check(schema, value);
    return wrong === undefined ? undefined : `${name}: ${wrong}`;
  };
}

/** Statuses of requests that are rejected before routing: too long or unreadable. */
const ANYWHERE: readonly number[] = [413, 414, 415];
/** Statuses of requests for an unknown route. */
const NOWHERE: readonly number[] = [400, 404, 405];

function matcher(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]*')}$`);
}

function parametersIn(template: string): number {
  return template.split('{').length;
}

/** The schema, with undocumented fields forbidden in every object. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  const open = 'additionalProperties' in copy || typeof copy.properties !== 'object';
  return open ? copy : { ...copy, additionalProperties: false };
}
