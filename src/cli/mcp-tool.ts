/** A tool of the MCP server. */
import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import { Errors } from 'typebox/value';
import { didYouMean, quote } from '../input/problems.js';
import { isObject } from '../kernel/json-text.js';
import type { Desk } from './mcp-desk.js';

export interface Tool {
  readonly name: string;
  /** What it does, for a language model. */
  readonly about: string;
  /** Describes and checks the arguments. */
  readonly input: StandardSchemaWithJSON;
  /** Whether it changes a device, a cloud or a file. Such a tool exists only with `--allow-write`. */
  readonly writes: boolean;
  /** @throws GhostfleetError, ApiError or ConnectionError for what the client can mend */
  readonly act: (input: never, desk: Desk, signal: AbortSignal) => Promise<unknown>;
}

/** Declares a tool. The server checks the arguments with the schema before it calls `act`. */
export function defineTool<P extends TProperties>(
  name: string,
  about: string,
  fields: P,
  act: (input: Static<TObject<P>>, desk: Desk, signal: AbortSignal) => Promise<unknown>,
  access: 'reads' | 'writes' = 'reads',
): Tool {
  const schema = Type.Object(fields, { additionalProperties: false });
  const plain = JSON.parse(JSON.stringify(schema));
  const jsonSchema = { input: () => plain, output: () => plain };
  const validate = (given: unknown) => {
    const problems = listProblems(schema, given);
    return problems.length === 0 ? { value: given } : { issues: [{ message: problems.join('; ') }] };
  };
  const input = { '~standard': { version: 1 as const, vendor: 'ghostfleet', jsonSchema, validate } };
  return { name, about, input, writes: access === 'writes', act };
}

/** Everything that is wrong with the arguments, each with its name. */
function listProblems({ properties }: TObject, given: unknown): readonly string[] {
  if (!isObject(given)) return ['the arguments must be an object'];
  const known = Object.keys(properties);
  const names = known.length === 0 ? 'the tool has none' : `arguments are ${known.join(', ')}`;
  const unknown = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) => `unknown argument ${quote(name)}${didYouMean(name, known)}; ${names}`);
  const wrong = Object.entries(properties).flatMap(([name, schema]) => {
    const value = given[name];
    if (value === undefined) return Type.IsOptional(schema) ? [] : [`${quote(name)} is missing${describe(schema)}`];
    return Errors(schema, value)
      .filter(({ keyword }) => keyword !== 'boolean')
      .map((error) => `${quote(name + error.instancePath)} ${complain(error)}${describe(schema)}`);
  });
  return [...unknown, ...wrong];
}

function complain({ keyword, params, message }: ReturnType<typeof Errors>[number]): string {
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`;
  if (keyword === 'additionalProperties') return `must not have ${params.additionalProperties.map(quote).join(', ')}`;
  return message;
}

function describe(schema: object): string {
  return 'description' in schema ? ` (${schema.description})` : '';
}

/** A word for a command line: it cannot be an option. */
export const Word = (description: string, options: object = {}) =>
  Type.String({ pattern: '^[^-]', maxLength: 1000, description, ...options });
