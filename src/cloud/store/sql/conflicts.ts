/** Maps the errors that the databases report to the reasons of conflicts. */
import type { ConflictField } from '../store.js';

/** A statement sets a NOT NULL column to null to make the database reject the commit (ADR 8). The column shows the reason. */
export const NULLED: Readonly<Record<string, ConflictField>> = {
  'message.direction': 'print',
  'message.down_attempt': 'queue',
  'message.created_at': 'attempt',
  'message.type': 'order',
  'record.body': 'record-body',
  'device.version': 'device-version',
  'device.created_at': 'rules',
  'space.type': 'space-devices',
};
