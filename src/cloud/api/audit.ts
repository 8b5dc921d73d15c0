/** Reads the audit log, and records the actions of callers in it. Entries are deleted only together with their space. */

import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { AuditEntry } from '../../contract/accounts.js';
import { PageQuery, SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import type { AuditLog, Entry } from '../accounts/audit.js';
import { type Members, MOST_SPACES } from '../accounts/members.js';
import { ApiFault } from '../http/errors.js';
import { operation, PageOf, type Routes, type TAGS } from '../http/operation.js';
import type { Id } from '../store/store.js';
import type { ApiContext, Family } from './family.js';
import { sendPage } from './pages.js';

/** Chapters of the API document whose changes are recorded. `Downlinks` is missing: each downlink has its own timeline. */
const RECORDED: ReadonlySet<string> = new Set<keyof typeof TAGS>([
  ...(['Accounts', 'Spaces', 'Devices', 'Tags', 'Connectors', 'Variables', 'Firmware', 'Users', 'Keys'] as const),
]);

export const auditLog: Family = (routes, context) => {
  const { audit } = context;
  routes.get(
    '/spaces/:space_id/audit',
    operation({
      tag: 'Audit',
      id: 'listAudit',
      summary: 'List the audit log, newest first',
      description: 'Changes in the space and logins of its members. Only an admin may read it.',
      params: SpaceParams,
      querystring: PageQuery,
      response: { 200: PageOf(AuditEntry) },
    }),
    async (request, reply) => {
      const { spaceId, access } = request;
      if (access.role !== 'admin') throw new ApiFault(403, 'only an admin may read the audit log');
      return sendPage(context, request, reply, {
        read: async (page) => (await audit?.list(spaceId, page)) ?? [],
        views: (entries) => entries.map(view),
      });
    },
  );
};

/** Records every successful change by an operation in a chapter of {@link RECORDED}, before the answer is sent. */
export function recordActions(routes: Routes, { members }: ApiContext, audit: AuditLog): void {
  routes.addHook('onSend', async (request, reply, payload) => {
    const { operationId: action, tags: [tag = ''] = [] } = request.routeOptions.schema ?? {};
    const isChange = request.method !== 'GET' && request.method !== 'HEAD';
    if (action === undefined || !isChange || !RECORDED.has(tag) || reply.statusCode >= 300) return payload;
    const { userId, keyId } = request.access;
    const actor =
      keyId === null ? userId && { kind: 'user' as const, id: userId } : { kind: 'key' as const, id: keyId };
    const target = targetOf(request, payload);
    const isOfSpace = request.spaceId !== '' && action !== 'deleteSpace';
    const own = isOfSpace ? request.spaceId : action === 'createSpace' ? target : null;
    // Neither an account nor a deleted space has a log. A change of an account, and the deletion of a space, are recorded in
    // the logs of the user's spaces.
    await audit.add(own === null ? await spacesOf(members, userId ?? '') : [own], {
      actor: actor || null,
      action,
      target,
      from: request.ip,
    });
    return payload;
  });
}

/** The spaces in whose logs changes of a user's own account are recorded. */
export function spacesOf(members: Members, userId: Id): Promise<readonly Id[]> {
  // Concurrent requests may exceed the number by a few.
  return members.spacesOf(userId, { limit: 2 * MOST_SPACES });
}

/** Id of the changed resource: in the path, at the start of the answer, the space in the path, or the caller's account. */
function targetOf({ params, spaceId, access }: FastifyRequest, payload: unknown): Id | null {
  const { id = null } = params as { readonly id?: Id };
  if (id !== null) return id.toLowerCase();
  const [, created] = /^\{"id":"([0-9a-f-]{36})"/.exec(String(payload)) ?? [];
  return created ?? (spaceId === '' ? access.userId : spaceId);
}

function view({ id, at, actor, action, target, from }: Entry): Static<typeof AuditEntry> {
  const who = { actor_type: actor?.kind ?? null, actor_id: actor?.id ?? null };
  return { id, at: isoTime(at), ...who, action, target_id: target, from };
}
