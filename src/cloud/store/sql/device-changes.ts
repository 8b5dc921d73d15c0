/** The changes of devices as statements. Claim token and session facts are encrypted. */
import { foldCase } from '../../../kernel/fold-case.js';
import type { Vault } from '../secrets/vault.js';
import { type Change, type DeviceChange, type DeviceRow, type Id, isEdit, type SessionFacts } from '../store.js';
import type { SqlValue, Statement } from './dialect.js';
import { cancelPending } from './message-changes.js';
import { place } from './places.js';
import { type Columns, insert, json, REJECTED, update, valueIf } from './statements.js';

/** Ignores a tag that does not exist or is already attached. */
const ATTACH_TAG = `INSERT INTO device_tag (position, device_id, tag_id)
  SELECT (SELECT coalesce(max(position), -1) + 1 FROM device_tag WHERE device_id = ?), d.id, t.id FROM device d, tag t WHERE d.id = ? AND d.deleted_at IS NULL AND t.id = ?
  ON CONFLICT (device_id, tag_id) DO NOTHING`;

/** The database rejects this statement if a version is expected and the device has another one. */
const RAISE_VERSION = `UPDATE device SET version = ${valueIf('version = coalesce(?, version)', 'version + 1')}
  WHERE id = ? AND deleted_at IS NULL`;

export function insertDevice(row: DeviceRow, vault: Vault): readonly Statement[] {
  const { id, spaceId, serial, createdAt, version } = row;
  const columns = { id, space_id: spaceId, serial, created_at: createdAt, version, ...deviceColumns(id, row, vault) };
  return [insert('device', columns), ...attachTags(id, row.tagIds)];
}

export function changeDevice(
  { id, change, within, was }: Extract<Change, { kind: 'device.change' }>,
  vault: Vault,
): readonly Statement[] {
  const detached = within === undefined ? [detachTags(id)] : within.map((tagId) => detachTag(id, tagId));
  const tags = change.tagIds ? [...detached, ...attachTags(id, change.tagIds)] : [];
  const edit = isEdit(change) ? [{ text: RAISE_VERSION, values: [was ?? null, id] }] : [];
  const row = update('device', deviceColumns(id, change, vault), id, ' AND deleted_at IS NULL');
  return [...edit, ...row, ...tags].map((statement) => ({ ...statement, ofDevice: id }));
}

/** Finds the device if its messages are now forwarded by other rules. Writes nothing otherwise, so that nothing waits for it. */
const NEED_RULES = `UPDATE device AS d SET created_at = ${REJECTED}
  WHERE d.id = ? AND d.deleted_at IS NULL AND (d.version <> ?
    OR (SELECT count(*) FROM device_tag t WHERE t.device_id = d.id) <> ?
    OR (SELECT s.connectors_version FROM space s WHERE s.id = d.space_id) <> ?)`;

/** The database rejects this statement if the rules have changed. A comparison with null finds nothing. */
export function needRules({ deviceId, version, tags, connectors }: Extract<Change, { kind: 'rules.need' }>): Statement {
  return { text: NEED_RULES, values: [deviceId, version, tags, connectors] };
}

function attachTags(deviceId: Id, tagIds: readonly Id[]): readonly Statement[] {
  return tagIds.map((tagId) => ({ text: ATTACH_TAG, values: [deviceId, deviceId, tagId] }));
}

function detachTag(deviceId: Id, tagId: Id): Statement {
  return { text: 'DELETE FROM device_tag WHERE device_id = ? AND tag_id = ?', values: [deviceId, tagId] };
}

function detachTags(deviceId: Id): Statement {
  return { text: 'DELETE FROM device_tag WHERE device_id = ?', values: [deviceId] };
}

/** Writes the row even if the device is not deleted, so that PostgreSQL locks it against a deletion by another service. */
const NEED_DEVICE = `UPDATE device SET label = ${valueIf('deleted_at IS NULL', 'label')} WHERE id = ?`;

/** The database rejects this statement if the device is deleted. */
export function needDevice(id: Id): Statement {
  return { text: NEED_DEVICE, values: [id], ofDevice: id };
}

/** Deletes a device: its row stays, without its claim token. Its pending downlinks are cancelled. */
export function deleteDevice({ id, at }: Extract<Change, { kind: 'device.delete' }>): readonly Statement[] {
  return [{ text: FORGET_DEVICE, values: [at, id], ofDevice: id }, detachTags(id), cancelPending(id, at)];
}

const FORGET_DEVICE = `UPDATE device SET deleted_at = ?, token = '', token_hash = NULL, shared_token_hash = NULL
  WHERE id = ? AND deleted_at IS NULL`;

/** The columns that a change of a device sets; its tags are in a table of their own. */
function deviceColumns(id: Id, change: DeviceChange, vault: Vault): Columns {
  const columns: Record<string, SqlValue> = {};
  if (change.name !== undefined) {
    columns.name = change.name;
    columns.name_folded = foldCase(change.name);
  }
  if (change.token !== undefined) {
    columns.token = vault.seal(place.token(id), change.token);
    columns.token_hash = vault.lookup(change.token);
    columns.shared_token_hash = null;
  }
  if (change.comment !== undefined) columns.comment = change.comment;
  if (change.externalId !== undefined) columns.external_id = change.externalId;
  if (change.label !== undefined) columns.label = json(change.label);
  if (change.lastSeen !== undefined) columns.last_seen = change.lastSeen;
  if (change.sessionId !== undefined) columns.session_id = change.sessionId;
  if (change.session !== undefined) columns.session = sealedSession(id, change.session, vault);
  if (change.configHash !== undefined) columns.config_hash = change.configHash;
  if (change.decoderHash !== undefined) columns.decoder_hash = change.decoderHash;
  if (change.encoderHash !== undefined) columns.encoder_hash = change.encoderHash;
  if (change.lastContact !== undefined) columns.last_contact = change.lastContact;
  if (change.contactEvery !== undefined) columns.contact_every = change.contactEvery;
  if (change.contactGaps !== undefined) columns.contact_gaps = change.contactGaps && json(change.contactGaps);
  return columns;
}

function sealedSession(id: Id, session: SessionFacts | null, vault: Vault): string | null {
  return session === null ? null : vault.seal(place.session(id), json(session));
}
