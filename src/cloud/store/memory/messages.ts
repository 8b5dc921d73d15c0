/** The sorted lists of messages in the memory store, in which a report is only a number. */
import type { DeviceRow, Id, MessageRow } from '../store.js';
import { ReportEntry, type Reports } from './reports.js';

export interface DeviceEntry {
  readonly id: Id;
  row: DeviceRow;
  deleted: boolean;
  readonly messages: Messages;
  /** For each message, {@link printOf} its fingerprint. A map of the fingerprints would take five times the memory. */
  readonly prints: number[];
  readonly pending: OtherEntry[];
  readonly unanswered: OtherEntry[];
}

export type MessageEntry = ReportEntry<DeviceEntry> | OtherEntry;

/** A message other than a report. */
export interface OtherEntry {
  readonly id: Id;
  /** The body is JSON text. Reads parse it: this saves memory, and most messages are never read. */
  row: MessageRow & { readonly body: string };
  readonly device: DeviceEntry;
}

/** Messages by id, as the functions of by-id.ts need them. */
export class Messages {
  readonly #reports: Reports<DeviceEntry>;
  readonly #items: (number | OtherEntry)[] = [];

  constructor(reports: Reports<DeviceEntry>) {
    this.#reports = reports;
  }

  get length(): number {
    return this.#items.length;
  }

  at(index: number): MessageEntry | undefined {
    const item = this.#items.at(index);
    return typeof item === 'number' ? this.#reports.entry(item) : item;
  }

  push(entry: MessageEntry): void {
    this.#items.push(itemOf(entry));
  }

  splice(at: number, deleted: number, ...entries: readonly MessageEntry[]): void {
    this.#items.splice(at, deleted, ...entries.map(itemOf));
  }
}

function itemOf(entry: MessageEntry): number | OtherEntry {
  return entry instanceof ReportEntry ? entry.number : entry;
}

/** The newest message of a device with this fingerprint. */
export function findFingerprint(device: DeviceEntry | undefined, fingerprint: string): MessageEntry | undefined {
  if (!device) return undefined;
  const { messages, prints } = device;
  const print = printOf(fingerprint);
  let newest: MessageEntry | undefined;
  for (let i = prints.indexOf(print); i >= 0; i = prints.indexOf(print, i + 1)) {
    const entry = messages.at(i);
    if (entry?.row.fingerprint === fingerprint) newest = entry;
  }
  return newest;
}

/** 32 bits of a fingerprint; 0 without one. */
export function printOf(fingerprint: string | null): number {
  return fingerprint === null ? 0 : Number.parseInt(fingerprint.slice(0, 8), 16) | 0;
}
