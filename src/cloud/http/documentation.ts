/** Completes the generated OpenAPI document: meanings, forms, examples, and failures that many routes share. */
import { STATUS_CODES } from 'node:http';
import { COMMON_FAILURES } from './operation.js';

/** The parts of a document that are used here. */
interface Documented {
  paths?: Record<string, Record<string, OperationObject> | undefined>;
  components?: { schemas?: Record<string, SchemaObject>; responses?: Record<string, ResponseObject> };
}

interface OperationObject {
  operationId?: string;
  summary?: string;
  parameters?: { name: string; in: string; description?: string; example?: unknown; schema?: SchemaObject }[];
  requestBody?: { description?: string; content: Record<string, MediaObject> };
  responses?: Record<string, ResponseObject>;
}

interface ResponseObject {
  description?: string;
  content?: Record<string, MediaObject>;
  $ref?: string;
}

interface MediaObject {
  schema?: SchemaObject;
  example?: unknown;
}

export interface SchemaObject {
  $ref?: string;
  type?: string;
  description?: string;
  meaning?: string;
  example?: unknown;
  properties?: Record<string, SchemaObject>;
  items?: SchemaObject;
  default?: unknown;
  enum?: unknown[];
  anyOf?: SchemaObject[];
}

/**
 * Completes a document in place. Its schemas with a title must already be components.
 * @param examples examples of answers by the title of their schema
 */
export function complete(document: Documented, examples: ReadonlyMap<string, unknown>): void {
  for (const schema of Object.values(document.components?.schemas ?? {})) describe(schema);
  for (const operation of Object.values(document.paths ?? {}).flatMap((operations) => Object.values(operations ?? {})))
    completeOperation(operation, examples);
  shareFailures(document);
}

function completeOperation(operation: OperationObject, examples: ReadonlyMap<string, unknown>): void {
  const { summary, parameters = [], requestBody, responses = {} } = operation;
  for (const parameter of parameters) {
    const { schema = {} } = parameter;
    const { meaning, example, default: standard, enum: values } = schema;
    parameter.description = sentences(meaning, parameter.description);
    parameter.example = standard ?? values?.[0] ?? example ?? parameter.example;
    delete schema.meaning;
    delete schema.example;
  }
  if (requestBody) {
    requestBody.description = `The body of "${summary}".`;
    for (const media of Object.values(requestBody.content)) {
      const { schema = {} } = media;
      describe(schema);
      media.example = schema.example;
      delete schema.example;
    }
  }
  for (const [status, response] of Object.entries(responses)) exemplify(Number(status), response, examples);
}

/** Describes the fields of a schema, and of the schemas inside it. */
function describe(schema: SchemaObject): void {
  for (const field of Object.values(schema.properties ?? {})) {
    describe(field);
    // A reference gets no text: the fields of the referenced schema are described in the components.
    if (field.$ref === undefined) field.description = describeField(field);
    delete field.meaning;
    delete field.example;
  }
  for (const inner of [schema.items, ...(schema.anyOf ?? [])]) if (inner) describe(inner);
}

/** The meaning of a field with its valid values; of a field that may be null, the values other than null. */
export function describeField({ meaning, description, anyOf = [] }: SchemaObject): string {
  return sentences(meaning, description ?? anyOf.find((each) => each.type !== 'null')?.description);
}

/** The meaning of a field or parameter, followed by a sentence with the valid values. */
function sentences(meaning: string | undefined, valid: string | undefined): string {
  const what =
    valid === undefined ? '' : `${valid.charAt(0).toUpperCase()}${valid.slice(1)}${valid.endsWith('.') ? '' : '.'}`;
  return [meaning ?? '', what].filter((text) => text !== '').join(' ');
}

function exemplify(
  status: number,
  { description = '', content = {} }: ResponseObject,
  examples: ReadonlyMap<string, unknown>,
): void {
  for (const [type, media] of Object.entries(content)) {
    const { $ref, items } = media.schema ?? {};
    const title = ($ref ?? items?.$ref)?.split('/').at(-1) ?? '';
    if (status >= 400) media.example = failureExample(status, description);
    else if (type === 'text/event-stream') media.example = STREAM_EXAMPLE;
    else if (media.schema?.type === 'string') media.example = 'process_uptime_seconds 42\n';
    else media.example = items ? [examples.get(title)] : examples.get(title);
  }
}

const STREAM_EXAMPLE =
  'id: 5e2f0c8d1b7a4936a1d0e4c27f8b3569\nevent: hello\ndata: {"resumed":false,"heartbeat_seconds":15}\n\n';

function failureExample(statusCode: number, description: string): object {
  const [first = ''] = description.split(/[.;:]/, 1);
  const message = statusCode === 400 ? INVALID : `${first.charAt(0).toLowerCase()}${first.slice(1)}`;
  return { statusCode, error: STATUS_CODES[statusCode], message };
}

const INVALID = 'body/name "" is not a name of 1 to 64 printable characters';

/** Moves the failures of {@link COMMON_FAILURES} to the components. */
function shareFailures({ paths = {}, components = {} }: Documented): void {
  const shared: Record<string, ResponseObject> = {};
  const sentenceOf = new Map(COMMON_FAILURES.map(({ status, sentence }) => [status, sentence]));
  for (const operation of Object.values(paths).flatMap((operations) => Object.values(operations ?? {}))) {
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      if (response.description !== sentenceOf.get(Number(status))) continue;
      const name = (STATUS_CODES[status] ?? status).replaceAll(' ', '');
      shared[name] = response;
      operation.responses = { ...operation.responses, [status]: { $ref: `#/components/responses/${name}` } };
    }
  }
  components.responses = shared;
}
