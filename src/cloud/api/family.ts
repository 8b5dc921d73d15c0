/**
 * What a resource family is: a function that adds its routes. One file each, listed in index.ts. Every route is described by
 * `operation({…})`, see operation.ts; tests refuse a route that is not.
 */

import type { Logins } from '../accounts/logins.js';
import type { Members } from '../accounts/members.js';
import type { Routes } from '../http/routes.js';
import type { CloudContext } from './context.js';

/** What a family is given. */
export interface ApiContext extends CloudContext {
  readonly members: Members;
  readonly logins: Logins;
}

/** Differences that real clients need and the contract leaves open. */
export interface ApiOptions {
  /** How a message's body is sent: as the contract says, or as JSON text, which existing clients expect. */
  readonly messageBody: 'json' | 'string';
  /** Answers a missing resource with the bare text `not found`, which hio-dotnet looks for. */
  readonly plainNotFound: boolean;
  /** Also serves the paths of older clients, which have no space in them (cloud API gaps, 7.3). */
  readonly legacyPaths: boolean;
  /** Refuses names that break the naming rule, which otherwise are only noted in the log; see names.ts. */
  readonly strictNames: boolean;
  /** Lets web pages of any origin use the API. */
  readonly cors: boolean;
  /** Requests that one key may make in a minute; null: any number. */
  readonly rateLimit: number | null;
  /** Whether the rate limit holds now: a run makes its fleet before it does. */
  readonly rateLimitHolds: () => boolean;
}

/** Adds routes below `/v2`; they are only reached with a valid key, for the key's own space. */
export type Family = (routes: Routes, context: ApiContext, options: ApiOptions) => void;
