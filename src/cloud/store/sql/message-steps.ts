/**
 * Lists messages in steps of bounded cost. To find the few messages that match a filter, a query may have to read every message
 * of a space. So each step reads a part of the index, newest first. The first steps, which are enough for most requests, are
 * executed immediately. The other steps run without delaying other requests.
 */
import { idRange } from '../order.js';
import type { Id, MessageQuery } from '../store.js';
import type { Dialect, Statement } from './dialect.js';
import { messageList, stepEnd } from './queries.js';

/** Messages that each of the first, immediate steps reads. The first one mostly finds a device's latest values. */
const NEAR_STEPS: readonly number[] = [20, 500];
/** Number of messages that each further step reads. */
const FAR_STEP = 10_000;

type Read = (statement: Statement) => Promise<readonly unknown[]>;

/**
 * @param readers `near` executes a short query immediately; `far` executes a long query without delaying others
 * @returns the rows of `messageList`
 */
export async function listInSteps(
  sql: Dialect,
  spaceId: Id,
  query: MessageQuery,
  { near, far }: { readonly near: Read; readonly far: Read },
): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  let { from, to } = idRange(query);
  // A step of fewer messages than the page has cannot be enough, unless there are no more.
  const tooSmall = NEAR_STEPS.filter((size) => size < query.limit).length;
  for (let step = Math.min(tooSmall, NEAR_STEPS.length - 1); ; step++) {
    const size = NEAR_STEPS[step] ?? FAR_STEP;
    const read = step < NEAR_STEPS.length ? near : far;
    const [end] = (await read(stepEnd(sql, spaceId, query, { from, to }, size))) as readonly { readonly id: Id }[];
    const rest = { ...query, limit: query.limit - found.length };
    found.push(...(await read(messageList(sql, spaceId, rest, { from: end?.id ?? from, to }))));
    if (end === undefined || found.length >= query.limit) return found;
    to = end.id;
  }
}
