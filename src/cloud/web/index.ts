/** The web console as a part of the service: its files at `/`, and its sign-in. */
import type { FastifyInstance } from 'fastify';
import { RealClock } from '../../kernel/real-clock.js';
import { Logins } from '../accounts/logins.js';
import type { Id } from '../store/store.js';
import { ConsoleFiles } from './files.js';
import { OneTimeTokens } from './one-time-tokens.js';
import { addPages } from './pages.js';
import { addSessionRoutes, type SessionContext } from './session.js';

export interface WebConsole {
  /** The console's path with a new one-time token, in the fragment, which browsers do not send. */
  link(spaceId: Id): string;
}

/** @param folder folder with the built console */
export function addWebConsole(
  api: FastifyInstance,
  folder: string,
  context: Omit<SessionContext, 'tokens' | 'logins'>,
): WebConsole {
  const tokens = new OneTimeTokens(context.random, new RealClock());
  addPages(api, new ConsoleFiles(folder));
  addSessionRoutes(api, { ...context, logins: new Logins(context), tokens });
  return {
    link: (spaceId) => `/#token=${tokens.issue(spaceId)}`,
  };
}
