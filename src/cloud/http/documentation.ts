/**
 * Completes the OpenAPI document that is generated from the routes: adds the meaning of each parameter and field and an example
 * of each body, and moves failures that many routes share to the components.
 */
import { STATUS_CODES } from 'node:http';
import { COMMON_FAILURES } from './operation.js';

/** Texts for a document; a test checks that none is missing. */
export interface Texts {
  /** Meanings of parameters and fields, by name; see api/meanings.ts for the forms of a name. */
  readonly meanings: Readonly<Record<string, string>>;
  /** Examples of answers by the title of their schema. */
  readonly answers: Readonly<Record<string, unknown>>;
  /** Examples of requests by the id of their operation. */
  readonly requests: Readonly<Record<string, unknown>>;
  /** Examples of parameters, by the same keys as the meanings. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

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

interface SchemaObject {
  $ref?: string;
  type?: string;
  description?: string;
  properties?: Record<string, SchemaObject>;
  items?: SchemaObject;
  default?: unknown;
  enum?: unknown[];
  anyOf?: SchemaObject[];
}

/** Adds the texts to a document, in place. Its schemas with a title must already be components. */
export function complete(document: Documented, texts: Texts): void {
  const { meanings } = texts;
  const meaning = (owner: string, name: string) => meanings[`${owner}.${name}`] ?? meanings[name];
  for (const [title, schema] of Object.entries(document.components?.schemas ?? {})) describe(schema, title, meaning);
  for (const [path, operations = {}] of Object.entries(document.paths ?? {})) {
    for (const operation of Object.values(operations)) completeOperation(path, operation, texts);
  }
  shareFailures(document);
}

function completeOperation(path: string, operation: OperationObject, texts: Texts): void {
  const { meanings, answers, requests } = texts;
  const { operationId: id = '', summary, parameters = [], requestBody, responses = {} } = operation;
  const own = (name: string) => meanings[`${id}.${name}`];
  for (const parameter of parameters) {
    const { name } = parameter;
    const place = parameter.in === 'path' ? placeOf(path, name) : name;
    parameter.description = sentences(
      (place === name ? undefined : meanings[place]) ?? own(name) ?? meanings[name],
      parameter.description,
    );
    const { default: standard, enum: values } = parameter.schema ?? {};
    parameter.example = standard ?? values?.[0] ?? texts.parameters[place] ?? texts.parameters[name];
  }
  if (requestBody) {
    requestBody.description = `The body of "${summary}".`;
    const resource = resourceOf(id);
    const meaning = (_: string, name: string) => own(name) ?? meanings[`${resource}.${name}`] ?? meanings[name];
    for (const media of Object.values(requestBody.content)) {
      if (media.schema) describe(media.schema, id, meaning);
      media.example = requests[id];
    }
  }
  for (const [status, response] of Object.entries(responses)) exemplify(Number(status), response, answers);
}

/** `tags/id` for the parameter `id` of a path with `/tags/{id}`. */
function placeOf(path: string, name: string): string {
  const segments = path.split('/');
  return `${segments[segments.indexOf(`{${name}}`) - 1]}/${name}`;
}

/** The resource that an operation creates or changes: `Tag` for `createTag`. */
function resourceOf(id: string): string {
  return id.replace(/^[a-z]+/, '');
}

type Meaning = (owner: string, name: string) => string | undefined;

/** Describes the fields of a schema, and of the schemas inside it. */
function describe(schema: SchemaObject, owner: string, meaning: Meaning): void {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    describe(field, owner, meaning);
    // A reference gets no text: the fields of the referenced schema are described in the components.
    if (field.$ref === undefined) field.description = sentences(meaning(owner, name), validValues(field));
  }
  for (const inner of [schema.items, ...(schema.anyOf ?? [])]) if (inner) describe(inner, owner, meaning);
}

/** The valid values of a field; for a field that may be null, the values other than null. */
function validValues({ description, anyOf = [] }: SchemaObject): string | undefined {
  return description ?? anyOf.find((each) => each.type !== 'null')?.description;
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
  answers: Texts['answers'],
): void {
  for (const [type, media] of Object.entries(content)) {
    const { $ref, items } = media.schema ?? {};
    const title = ($ref ?? items?.$ref)?.split('/').at(-1) ?? '';
    if (status >= 400) media.example = failureExample(status, description);
    else if (type === 'text/event-stream') media.example = STREAM_EXAMPLE;
    else if (media.schema?.type === 'string') media.example = 'process_uptime_seconds 42\n';
    else media.example = items ? [answers[title]] : answers[title];
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
