/** Messages of an existing device, for a draft of its profile: reads and checks a file of the user. */
import { complain } from '../input/checks.js';
import { type LocatedNode, type MapNode, type Place, Problems, plain } from '../input/document.js';
import { readJson } from '../input/json.js';
import { InputError, quote } from '../input/problems.js';
import { expectIdentityText, IDENTITY_LENGTHS, isName } from './checks.js';
import { formatObserved, INTERVALS, isCommonSection, type ObservedMessage, PARAMETER_LINE } from './draft.js';

/** Largest number in a report: a draft multiplies by up to 1000, and the product must be an exact integer. */
const LARGEST = 1e12;

/**
 * Reads the answer of GET …/messages, which has the newest message first.
 * @returns the messages, the oldest first
 * @throws InputError with all problems
 */
export function readHistory(text: string, file: string): readonly ObservedMessage[] {
  const problems = new Problems();
  const root = parseBodies(readJson(text, file));
  if (root.kind !== 'list' || root.items.length === 0) {
    complain(root, problems, 'a list of messages, as GET …/messages returns it');
  } else {
    const reports = root.items.map((item) => checkMessage(item, problems));
    const bodies = reports.filter((body) => body !== undefined);
    if (bodies.length > 0 && !bodies.some(hasNumbers)) for (const body of bodies) complainOfBody(body, problems);
    if (problems.list.length === 0) requireTypes(root, root.items, problems);
  }
  problems.finish();
  return (plain(root) as ObservedMessage[]).reverse();
}

/** The messages of `root`, with JSON texts parsed; all values of a text have its place. */
function parseBodies(root: LocatedNode): LocatedNode {
  if (root.kind !== 'list') return root;
  const items = root.items.map((item) => {
    const body = item.kind === 'map' ? item.entries.get('body') : undefined;
    if (item.kind !== 'map' || body?.value.kind !== 'scalar' || typeof body.value.value !== 'string') return item;
    const value = parseContent(body.value.value, body.value);
    return { ...item, entries: new Map([...item.entries, ['body', { ...body, value }]]) };
  });
  return { ...root, items };
}

/** The content of a JSON text with a list or a map; otherwise the text itself. */
function parseContent(text: string, node: LocatedNode): LocatedNode {
  if (!/^\s*[[{]/.test(text)) return node;
  try {
    return moveTo(node, readJson(text, node.file));
  } catch (error) {
    if (error instanceof InputError) return node;
    throw error;
  }
}

function moveTo(place: Place, node: LocatedNode): LocatedNode {
  const { file, line, column } = place;
  const at = { file, line, column };
  if (node.kind === 'list') return { ...node, ...at, items: node.items.map((item) => moveTo(place, item)) };
  if (node.kind === 'scalar') return { ...node, ...at, textColumn: column };
  const entries = [...node.entries].map(([key, { value }]) => [key, { key: at, value: moveTo(place, value) }] as const);
  return { ...node, ...at, entries: new Map(entries) };
}

/** What a draft takes from the messages of each type. */
const NEEDED = {
  session: 'the identity of the device',
  config: 'the parameters of the application',
  data: 'the values of the reports',
} as const;

function requireTypes(root: LocatedNode, messages: readonly LocatedNode[], problems: Problems): void {
  for (const [type, content] of Object.entries(NEEDED)) {
    if (!messages.some((message) => isFilled(message, type)))
      problems.add(root, `an uplink of the type ${quote(type)} with content is missing: it has ${content}`);
  }
}

function isFilled(message: LocatedNode, wanted: string): boolean {
  const { type, direction, body } = plain(message) as ObservedMessage;
  return type === wanted && direction !== 'down' && Object.keys(body ?? {}).length > 0;
}

/** Notes the problems of a message. @returns its body if the message is a valid report, otherwise undefined */
function checkMessage(node: LocatedNode, problems: Problems): MapNode | undefined {
  if (node.kind !== 'map') return complain(node, problems, 'a message: a map with "type" and "body"');
  const [type, direction, body] = ['type', 'direction', 'body'].map((key) => node.entries.get(key)?.value);
  if (type === undefined || body === undefined) {
    problems.add(node, `${type === undefined ? '"type"' : '"body"'} is missing in this message`);
    return undefined;
  }
  if (type.kind !== 'scalar' || typeof type.value !== 'string')
    return complain(type, problems, 'the type of a message, such as "data"');
  if (direction?.kind === 'scalar' && direction.value === 'down') return undefined;
  if (type.value === 'session') {
    if (body.kind !== 'map') return complain(body, problems, 'a map with the facts of a session');
    checkSession(body, problems);
  }
  if (type.value === 'config') checkConfig(body, problems);
  if (type.value !== 'data') return undefined;
  if (body.kind !== 'map') return complain(body, problems, 'a map of sections with the values of a report');
  checkReport(body, problems);
  return body;
}

/** The fields of a session that a draft takes into its identity, with their largest lengths. */
const { vendor, product, modem_firmware: _, ...SAME_NAMES } = IDENTITY_LENGTHS;
const IDENTITY_FIELDS = { vendor_name: vendor, product_name: product, ...SAME_NAMES };

function checkSession(body: MapNode, problems: Problems): void {
  for (const [name, length] of Object.entries(IDENTITY_FIELDS)) {
    const node = body.entries.get(name)?.value;
    const { form, what } = expectIdentityText(length);
    const text = node?.kind === 'scalar' ? formatObserved(node.value) : undefined;
    if (node !== undefined && text !== undefined && !form.test(text)) complain(node, problems, what);
  }
}

function checkReport(body: MapNode, problems: Problems): void {
  for (const [section, { key, value: fields }] of body.entries) {
    if (isCommonSection(section) || fields.kind !== 'map') continue;
    const numbers = [...fields.entries].filter(([, { value }]) => isNumber(value));
    const names = numbers.map(([name, entry]) => ({ name, place: entry.key }));
    if (numbers.length > 0) names.unshift({ name: section, place: key });
    for (const { name, place } of names) {
      if (!isName(name)) problems.add(place, `${quote(name)} is not a name of small letters, digits and _`);
    }
    for (const [, { value }] of numbers) {
      if (value.kind === 'scalar' && Math.abs(Number(value.value)) > LARGEST)
        complain(value, problems, `a number from -${LARGEST} to ${LARGEST}`);
    }
  }
}

/** Checks the body of a `config` message: a list of lines, or a map with such lists. */
function checkConfig(body: LocatedNode, problems: Problems): void {
  if (body.kind === 'scalar') return complain(body, problems, 'a list of configuration lines');
  const lists = body.kind === 'list' ? [body] : [...body.entries.values()].map(({ value }) => value);
  for (const line of lists.flatMap((list) => (list.kind === 'list' ? list.items : []))) {
    if (line.kind !== 'scalar' || typeof line.value !== 'string') {
      complain(line, problems, 'a configuration line');
      continue;
    }
    const [, name = '', value = ''] = PARAMETER_LINE.exec(line.value) ?? [];
    if (name !== '' && !/^[a-z][a-z0-9-]*$/.test(name))
      problems.add(line, `${quote(name)} is not the name of a parameter in lower case`);
    if (Object.hasOwn(INTERVALS, name) && !/^\d{1,9}$/.test(value))
      problems.add(line, `${quote(value)} is not a whole number of seconds for ${quote(name)}`);
  }
}

function hasNumbers(body: MapNode): boolean {
  return [...body.entries].some(
    ([section, { value }]) =>
      !isCommonSection(section) && value.kind === 'map' && [...value.entries.values()].some((e) => isNumber(e.value)),
  );
}

/** Notes a problem for each value of a report. Called for every report if none of them has a number for a sensor. */
function complainOfBody(body: MapNode, problems: Problems): void {
  const own = [...body.entries].filter(([section]) => !isCommonSection(section));
  if (own.length === 0) complain(body, problems, WANTED);
  for (const [, { value }] of own) {
    const leaves = value.kind === 'map' ? [...value.entries.values()].map((entry) => entry.value) : [];
    if (leaves.length === 0) complain(value, problems, WANTED);
    for (const leaf of leaves) complain(leaf, problems, 'a number, and no report has another number for a sensor');
  }
}

const WANTED = 'a section with numbers, such as {"probe": {"depth": 1.25}}, and no report has one';

function isNumber(node: LocatedNode): boolean {
  return node.kind === 'scalar' && typeof node.value === 'number';
}
