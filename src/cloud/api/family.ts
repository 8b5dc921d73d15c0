/** A resource family adds the routes of one kind of resource, each described by `operation({…})` (http/operation.ts). */

import type { AuditLog } from '../accounts/audit.js';
import type { Logins } from '../accounts/logins.js';
import type { Members } from '../accounts/members.js';
import type { SignIn } from '../accounts/sign-in.js';
import type { Routes } from '../http/operation.js';
import type { PublicUrl } from '../http/public-url.js';
import type { Unsent } from '../http/unsent.js';
import type { LoopTurns } from '../store/loop-turns.js';
import type { Turns } from './at-most.js';
import type { CloudContext } from './context.js';
import type { RecordChanges } from './record-changes.js';

/** The services that a family uses. */
export interface ApiContext extends CloudContext {
  readonly members: Members;
  readonly logins: Logins;
  readonly signIn: SignIn;
  /** Runs work that computes a password hash for a request from a network. All families share its limits. */
  readonly withPasswordTurn: Turns;
  /** Turns of long work. All families share them, so that one piece runs in each turn of the event loop. */
  readonly turns: LoopTurns;
  /** Changes of records. All families share their turns. */
  readonly changes: RecordChanges;
  /** What clients of a tenant have not received. All families share it. */
  readonly unsent: Unsent;
  /** Null: actions are not recorded. */
  readonly audit: AuditLog | null;
}

/** Options that adapt the API to existing clients, or restrict it. */
export interface ApiOptions {
  /** Form of a message's body in answers: a JSON value as in the contract, or JSON text as existing clients expect. */
  readonly messageBody: 'json' | 'string';
  /** Whether a missing resource is answered with the plain text `not found`, which hio-dotnet expects (cloud C-13). */
  readonly plainNotFound: boolean;
  /** Whether to serve the paths of older clients as well (cloud C-18). */
  readonly legacyPaths: boolean;
  /** Whether names that break the naming rule are rejected; otherwise they are accepted and logged. See names.ts. */
  readonly strictNames: boolean;
  /** Whether web pages of any origin may use the API (CORS). */
  readonly cors: boolean;
  /** Names in the header `Host` that are accepted in addition to IP addresses, without ports and in lower case; null: all. */
  readonly hosts: readonly string[] | null;
  /** Addresses and networks of proxies, whose headers `X-Forwarded-For`, `-Host` and `-Proto` describe the caller's request. */
  readonly trustProxy: readonly string[];
  /** Address under which a proxy makes the service public; null: that of the request. */
  readonly publicUrl: PublicUrl | null;
  /** Maximum number of requests of one caller per minute (rate-limit.ts); null: unlimited. */
  readonly rateLimit: number | null;
  /** Whether the rate limit applies now. A run creates its fleet before the limit applies. */
  readonly rateLimitHolds: () => boolean;
}

/** Adds routes below `/v2`. With few exceptions, a handler runs only for a space that the credential opens. */
export type Family = (routes: Routes, context: ApiContext, options: ApiOptions) => void;
