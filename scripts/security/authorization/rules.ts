/** The status that the contract demands for an operation, a credential, and the ids in the path. */
import type { Credential, Right } from './credentials.js';
import { namesThing, type Operation } from './operations.js';

/**
 * Ids of the space and the thing in the path. `own`: a thing that the credential sees. `unseen`: a thing of the own space
 * without the tags of the key. `mixed`: the own space, with a thing of another space. `missing`: the own space, with an id that
 * no thing has. `foreign`: another space with one of its things. `random`: two random ids.
 */
export const IDS = ['own', 'unseen', 'mixed', 'missing', 'foreign', 'random'] as const;
export type IdKind = (typeof IDS)[number];

/** Chapters that a key with tags does not see at all. */
const WHOLE_SPACE: readonly string[] = ['Connectors', 'Variables', 'Users', 'Keys', 'Audit'];
/** Operations that are forbidden for a key with tags, although the key may read the things that they change. */
const WHOLE_SPACE_CHANGES: readonly string[] = [
  ...['updateSpace', 'deleteSpace', 'createTag', 'updateTag', 'deleteTag'],
  ...['createFirmwareImage', 'deleteFirmwareImage'],
];

/** Whether the path can have ids of this kind: for example, only a path with a thing can name a missing thing. */
export function exists(operation: Operation, { right }: Credential, ids: IdKind): boolean {
  if (ids === 'unseen') return namesThing(operation) && right?.tags !== undefined;
  if (ids === 'mixed' || ids === 'missing') return namesThing(operation);
  const namesAny = operation.template.includes('{') || operation.id === 'bindLogin';
  return ids === 'own' || namesAny;
}

/** The status that the answer must have. */
export function expectedStatus(operation: Operation, credential: Credential, ids: IdKind): number {
  const { access, id, template, success } = operation;
  const { right, device } = credential;
  if (access === 'anyone') return id === 'login' || id === 'acceptInvitation' ? 401 : success;
  if (access === 'claim-token') {
    if (device === undefined || ids !== 'own') return 401;
    return id === 'acknowledgeDownlink' ? 404 : success;
  }
  if (right === null) return 401;
  if (right.foreignPage) return 403;
  if (!template.includes('{space_id}')) return ofAccount(operation, right, ids);
  if (right.level === 'none' || ids === 'foreign' || ids === 'random') return 404;
  return inOwnSpace(operation, right, ids);
}

/** An account belongs to a login; a key and a login for one space create no other spaces. */
function ofAccount({ id, chapter, success }: Operation, { level, bound }: Right, ids: IdKind): number {
  const isKey = level === 'write' || level === 'read';
  if (chapter === 'Accounts' && isKey) return 403;
  if (id === 'createSpace' && (isKey || bound)) return 403;
  if (id === 'deleteLogin' && ids !== 'own') return 404;
  if (id === 'bindLogin' && (ids !== 'own' || level === 'none')) return 400;
  return success;
}

function inOwnSpace(operation: Operation, right: Right, ids: IdKind): number {
  const { id, method, success } = operation;
  const { level, tags } = right;
  const isChange = method !== 'GET';
  if (isChange && (level === 'read' || level === 'user')) return 403;
  if (tags !== undefined && isOfWholeSpace(operation)) return 404;
  if (id === 'listAudit' && (level === 'read' || level === 'user')) return 403;
  // The owner may delete the space, but not with devices in it.
  if (id === 'deleteSpace') return level === 'owner' ? 409 : 403;
  // Images belong to the space: a key with tags reads them and changes none, whichever id it names.
  const isImage = /firmware-images/.test(operation.template);
  if (isImage && isChange && tags !== undefined) return 403;
  if (ids === 'mixed' || ids === 'missing') return 404;
  if (ids === 'unseen' && !isImage) return 404;
  if (isChange && tags !== undefined && (tags === 'read' || WHOLE_SPACE_CHANGES.includes(id))) return 403;
  return success;
}

/** Whether a key with tags does not see it at all. The history counts all devices of the space. */
function isOfWholeSpace({ chapter, id }: Operation): boolean {
  return WHOLE_SPACE.includes(chapter) || id === 'readHistory';
}
