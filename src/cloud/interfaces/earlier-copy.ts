/** What the delivery asks of a run that judges whether data messages are stored twice. */
import type { DeviceRow, Id } from '../store/store.js';

/**
 * Looks for the id of an earlier data message with this fingerprint, however old. Undefined if there is none, or if no search
 * is necessary.
 */
export type EarlierCopy = (device: DeviceRow, print: string) => Promise<Id | undefined> | undefined;
