/** The header `x-total` of pages of lists; where counting reads too many items, `x-total-at-least` has a lower bound. */
import type { FastifyReply } from 'fastify';

/** Maximum number of items that are counted. */
export const MOST_COUNTED = 10_000;

/** Sets the header for a list of which at most `most` items were counted. If `count` reaches `most`, there may be more. */
export function setTotal(reply: FastifyReply, count: number, most: number): void {
  reply.header(count < most ? 'x-total' : 'x-total-at-least', count);
}
