/**
 * When each user of a load is there, if their number changes. As in k6, a number that rises from 0 to 10 within 10 s gets its
 * first user after a second and its tenth one at the end; if it falls from 10 to 0, the tenth user leaves after a second. A
 * user that leaves ends its iteration first.
 */
import type { Instant } from '../../kernel/time.js';
import type { RatePiece, UserPace } from './load.js';

/** A time in which a user is there. */
interface Presence {
  readonly from: Instant;
  readonly until: Instant;
  /** Place among the users that come at `from` together, from 0, and their number: they spread over the think time. */
  readonly place: number;
  readonly together: number;
}

/** @param user number of the user, from 0 */
export function listPresence(
  { users, pieces }: Pick<UserPace, 'users' | 'pieces'>,
  user: number,
  window: { readonly from: Instant; readonly until: Instant },
): readonly Presence[] {
  const { from: begin, until: end } = window;
  if (pieces === undefined) return [{ from: begin, until: end, place: user, together: users }];
  const found: Presence[] = [];
  let before = 0;
  for (const piece of pieces) {
    const { from, until, first, last } = piece;
    const come = comesAt(piece, user);
    const leave = last <= user && user < first ? moment(piece, first - user) : until;
    const open = found.at(-1);
    // The user was there at the end of the piece before, and stays.
    if (come === from && open?.until === from && user < before) found[found.length - 1] = { ...open, until: leave };
    else if (come !== undefined && come < leave) {
      const isJump = come === from && first > before;
      found.push({
        from: come,
        until: leave,
        place: isJump ? user - before : 0,
        together: isJump ? first - before : 1,
      });
    }
    before = last;
  }
  return found;
}

/** When the user comes in a piece; undefined if it is not there. */
function comesAt(piece: RatePiece, user: number): Instant | undefined {
  const { from, first, last } = piece;
  if (user < first) return from;
  return user < last ? moment(piece, user + 1 - first) : undefined;
}

/** When the number of users has changed by `change`, to the microsecond. */
function moment({ from, until, first, last }: RatePiece, change: number): Instant {
  return from + Math.round(((until - from) * change * 1000) / Math.abs(last - first)) / 1000;
}
