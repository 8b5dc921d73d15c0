/** What a resource family is: a function that adds its routes. One file each, listed in index.ts. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, RawServerDefault } from 'fastify';
import type { CloudContext } from '../context.js';
import type { TypeBoxProvider } from './validation.js';

/** Fastify with handlers typed by the TypeBox schemas of their routes. */
export type Routes = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxProvider
>;

/** Differences that real clients need and the contract leaves open. */
export interface ApiOptions {
  /** How a message's body is sent: as the contract says, or as JSON text, which existing clients expect. */
  readonly messageBody: 'json' | 'string';
  /** Answers a missing resource with the bare text `not found`, which hio-dotnet looks for. */
  readonly plainNotFound: boolean;
  /** Lets web pages of any origin use the API. */
  readonly cors: boolean;
}

/** Adds routes below `/v2`; they are only reached with a valid key, for the key's own space. */
export type Family = (routes: Routes, context: CloudContext, options: ApiOptions) => void;
