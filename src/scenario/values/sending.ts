/** Checks lines and data that a scenario sends, against what the devices' firmware has. */
import { type Check, complain, type Form, formOf } from '../../input/checks.js';
import type { LocatedNode, Place, Problems } from '../../input/document.js';
import { quote } from '../../input/problems.js';
import { append } from '../../kernel/append.js';
import { isKept } from '../../kernel/json-numbers.js';
import { forbiddenKey } from '../../kernel/json-text.js';
import { countOf } from '../../kernel/quantity.js';
import { withoutSecrets } from '../../kernel/shell-secrets.js';
import { configPlaces } from './config-lines.js';

/** Lines and data that a firmware version accepts. Methods return the reason of a rejection, or undefined. */
export interface KnownVersion {
  /**
   * Checks a configuration line of a group, which is written to flash before the first boot: `app config interval-report 900`.
   */
  flashRefusal(line: string): string | undefined;
  /** Checks a line for the shell: `info show`. */
  lineRefusal(line: string): string | undefined;
  configRefusal(line: string): string | undefined;
  /** Checks the length of the downlink with these lines. */
  lengthRefusal(lines: readonly string[], type: 'shell' | 'config'): string | undefined;
  /** Checks a key of a data downlink, with its value. */
  dataRefusal(key: string, value: unknown): string | undefined;
}

/** Devices of one type that left the factory with one firmware version. */
export interface Recipient {
  /** For messages: `clime`, or `clime 3.5.5` if the type has several versions. */
  readonly name: string;
  /** Firmware that the devices may have: that of the factory and those of updates in the scenario. */
  readonly firmware: readonly KnownVersion[];
}

/** The devices to which a step or a load sends lines or data. Without recipients, lines and data are not checked. */
export interface Sending {
  readonly recipients: readonly Recipient[];
}

/** A check of lines or data that are sent to devices. */
export interface SendingCheck<T> {
  (node: LocatedNode, problems: Problems, sending: Sending): T | undefined;
  readonly form?: () => Form;
}

/**
 * Reads lines with `check`, and adds a problem for each line that a recipient rejects, and for more than it can receive.
 * @param by the method that checks a line: that of the shell, or that of configuration downlinks
 */
export function sentLines(
  check: Check<readonly string[]>,
  by: 'lineRefusal' | 'configRefusal' = 'lineRefusal',
): SendingCheck<readonly string[]> {
  return sent(check, (lines, node, problems, { recipients }) => {
    const places = configPlaces(node);
    for (const [i, line] of lines.entries()) noteLine(line, places[i] ?? node, recipients, problems, by);
    const type = by === 'configRefusal' ? 'config' : 'shell';
    const refusals = refusalsOf(recipients, (version) => version.lengthRefusal(lines, type));
    addRefusals(countOf(lines.length, 'line'), refusals, node, recipients, problems);
  });
}

/** Like {@link sentLines}, for a single line. */
export function sentLine(check: Check<string>): SendingCheck<string> {
  return sent(check, (line, node, problems, { recipients }) => noteLine(line, node, recipients, problems));
}

function noteLine(
  line: string,
  place: Place,
  recipients: readonly Recipient[],
  problems: Problems,
  by: 'lineRefusal' | 'configRefusal' = 'lineRefusal',
): void {
  const refusals = refusalsOf(recipients, (version) => version[by](line));
  addRefusals(quote(withoutSecrets(line)), refusals, place, recipients, problems);
}

/** Reads a map of data for the application, and adds a problem for each key that the encoder of a recipient rejects. */
export function sentData(check: Check<Data>): SendingCheck<Data> {
  return sent(check, (body, node, problems, { recipients }) => {
    noteForbiddenKeys(node, problems);
    const changed = changedNumbersIn(node);
    for (const number of changed) complain(number, problems, KEPT);
    if (node.kind !== 'map' || changed.length > 0) return;
    for (const [key, { key: place }] of node.entries) {
      const refusals = refusalsOf(recipients, (version) => version.dataRefusal(key, body[key]));
      addRefusals(quote(`${key}: ${JSON.stringify(body[key])}`), refusals, place, recipients, problems);
    }
  });
}

/** The numbers in the data that would be sent as other numbers. */
export function changedNumbersIn(node: LocatedNode): readonly LocatedNode[] {
  if (node.kind === 'list') return node.items.flatMap(changedNumbersIn);
  if (node.kind === 'map') return [...node.entries.values()].flatMap(({ value }) => changedNumbersIn(value));
  return typeof node.value === 'number' && !isKept(node.source) ? [node] : [];
}

function noteForbiddenKeys(node: LocatedNode, problems: Problems, parent?: string): void {
  if (node.kind === 'list') for (const item of node.items) noteForbiddenKeys(item, problems);
  if (node.kind !== 'map') return;
  for (const [key, { key: place, value }] of node.entries) {
    const forbidden = forbiddenKey(key, parent);
    if (forbidden !== undefined) problems.explain(place, `the API refuses data with the key ${forbidden}`);
    noteForbiddenKeys(value, problems, key);
  }
}

export const KEPT = 'a number that can be kept exactly; write it as a text in quotation marks';

type Data = Readonly<Record<string, unknown>>;

function sent<T>(
  check: Check<T>,
  examine: (value: T, node: LocatedNode, problems: Problems, sending: Sending) => void,
): SendingCheck<T> {
  const read = (node: LocatedNode, problems: Problems, sending: Sending) => {
    const value = check(node, problems);
    if (value !== undefined) examine(value, node, problems, sending);
    return value;
  };
  return Object.assign(read, { form: () => formOf(check) });
}

/** Names of recipients by the reason for which they reject something. */
type Refusals = ReadonlyMap<string, readonly string[]>;

/** A recipient rejects something only if every firmware version that its devices may have rejects it. */
function refusalsOf(
  recipients: readonly Recipient[],
  refusal: (version: KnownVersion) => string | undefined,
): Refusals {
  const refusals = new Map<string, string[]>();
  for (const { name, firmware } of recipients) {
    const reasons = firmware.map(refusal);
    const [reason] = reasons;
    if (reason === undefined || reasons.includes(undefined)) continue;
    append(refusals, reason, name);
  }
  return refusals;
}

function addRefusals(
  sent: string,
  refusals: Refusals,
  place: Place,
  recipients: readonly Recipient[],
  problems: Problems,
): void {
  const rejecting = [...refusals.values()].flat();
  const others = recipients.map(({ name }) => name).filter((name) => !rejecting.includes(name));
  const accepted = others.length === 0 ? '' : `; ${others.join(', ')} would accept it`;
  for (const [reason, names] of refusals) {
    const who = names.join(', ');
    problems.add(place, `${sent} would be rejected by ${who}: ${reason}${accepted}; "unknown: true" sends it anyway`);
  }
}
