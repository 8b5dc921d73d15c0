/** A tool of the MCP server. */
import { fromJsonSchema } from '@modelcontextprotocol/server';
import Type, { type Static, type TObject, type TProperties } from 'typebox';
import type { Desk } from './mcp-desk.js';

export interface Tool {
  readonly name: string;
  /** What it does, for a language model. */
  readonly about: string;
  /** Checks the arguments. It is compiled once: over HTTP, every request gets a server of its own. */
  readonly input: ReturnType<typeof fromJsonSchema>;
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
  const input = fromJsonSchema(JSON.parse(JSON.stringify(schema)));
  return { name, about, input, writes: access === 'writes', act };
}

/** A word for a command line: it cannot be an option. */
export const Word = (description: string, options: object = {}) =>
  Type.String({ pattern: '^[^-]', maxLength: 1000, description, ...options });
