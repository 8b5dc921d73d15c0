/**
 * Checks of answers: a service can be another one, and send anything. Checked are the fields on which callers depend; types.ts
 * describes the others.
 */
import { foreignJson } from '../kernel/json-text.js';
import { ApiError } from './errors.js';
import type { Message } from './types.js';

/** What every resource has. */
export interface Resource {
  readonly id: string;
}

/** The items of the answer to a request for a list. @throws ApiError if one has no id */
export function itemsIn<T extends Resource>(answer: unknown, path: string): readonly T[] {
  // The cast is as safe as in `resourceIn`.
  if (Array.isArray(answer) && answer.every(isResource)) return answer as readonly Resource[] as readonly T[];
  throw new ApiError(200, 'the answer is not a list of objects with an "id"', 'GET', path);
}

/** @throws ApiError if the answer is not an object with an id */
export function resourceIn<T extends Resource>(answer: unknown, method: string, path: string): T {
  // The cast is as safe as the service is true to types.ts: only the id is checked, on which all callers depend.
  if (isResource(answer)) return answer as T;
  throw new ApiError(200, 'the answer is not an object with an "id"', method, path);
}

/** The messages of a page, with their bodies as JSON values. @throws ApiError with the first problem */
export function messagesIn(answer: unknown, path: string): readonly Message[] {
  return itemsIn(answer, path).map((item) => messageIn(item, 'GET', path));
}

/** The message of an answer, with its body as a JSON value. @throws ApiError if it is not a message */
export function messageIn(answer: unknown, method: string, path: string): Message {
  const problem = findProblem(answer);
  if (problem !== undefined) throw new ApiError(200, `the answer is not a message: ${problem}`, method, path);
  // The cast is safe because the fields on which callers depend are checked.
  return withBody(answer as Message);
}

/** Whether an answer is a message. */
export function isMessage(answer: unknown): answer is Message {
  return findProblem(answer) === undefined;
}

interface Form {
  readonly what: string;
  readonly fits: (value: unknown) => boolean;
}

const TEXT: Form = { what: 'a text', fits: (value) => typeof value === 'string' };
const NUMBER: Form = { what: 'a number', fits: (value) => typeof value === 'number' };
const TIME: Form = { what: 'a time', fits: (value) => typeof value === 'string' && isTime(Date.parse(value)) };
/** Some services write serial numbers as numbers. */
const SERIAL: Form = { what: 'a serial number', fits: (value) => TEXT.fits(value) || NUMBER.fits(value) };

const NEEDED: Readonly<Record<string, Form>> = {
  ...{ id: TEXT, type: TEXT, direction: TEXT, device_id: TEXT, created_at: TIME },
};
/** May be absent or null. */
const OPTIONAL: Readonly<Record<string, Form>> = {
  ...{ device_name: TEXT, device_serial_number: SERIAL, codec_hash: TEXT, raw: TEXT },
  ...{ down_state: TEXT, down_state_at: TIME, down_scheduled_at: TIME, down_attempt: NUMBER },
};

/** Why an answer is not a message; undefined if it is one. */
function findProblem(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null) return 'it is not an object';
  const fields = new Map(Object.entries(answer));
  const says = (name: string, { what }: Form) => `"${name}" is not ${what}`;
  for (const [name, form] of Object.entries(NEEDED)) if (!form.fits(fields.get(name))) return says(name, form);
  for (const [name, form] of Object.entries(OPTIONAL)) {
    const value = fields.get(name) ?? null;
    if (value !== null && !form.fits(value)) return says(name, form);
  }
  return undefined;
}

/** Whether the time is one that a service can have written: from 1970 to 9999. */
function isTime(time: number): boolean {
  return time >= 0 && time < Date.UTC(10_000);
}

function isResource(answer: unknown): answer is Resource {
  return typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string';
}

/** The message with its body as a JSON value, which some services send as text (cloud C-26), unless it nests too deep. */
function withBody(message: Message): Message {
  const { body } = message;
  const value = typeof body === 'string' && /^\s*[[{]/.test(body) ? foreignJson(body) : undefined;
  return value === undefined ? message : { ...message, body: value };
}
