/**
 * The `cloud` of a scenario: settings of the embedded cloud. `ghostfleet serve` has options with the same names. The settings
 * do not apply to another cloud.
 *
 *     cloud:
 *       rate-limit: 600/m        # requests a minute allowed for each API key; default: unlimited
 *       expire-downlinks: 7d     # age at which an unfetched downlink expires; default: 30d
 *       retain-messages: 14d     # how long messages are kept; default: unlimited
 *       allow-private: true      # connectors may send to loopback and private addresses; default: false
 */
import {
  boolean,
  type Check,
  complain,
  describeKey,
  duration,
  formed,
  optional,
  record,
  refine,
} from '../../input/checks.js';
import { days, formatDuration, hours, type Millis } from '../../kernel/time.js';
import type { CloudSettings } from '../model/cloud.js';

/** Highest accepted rate limit, in requests a minute. */
export const MOST_REQUESTS = 1_000_000;
/** Shortest accepted expiry. The cloud searches for overdue downlinks only once an hour. */
export const SHORTEST_EXPIRY: Millis = hours(1);
/** Shortest accepted retention. During this time, the cloud compares new messages with stored ones to find copies. */
export const SHORTEST_RETENTION: Millis = days(2);

const PER_MINUTE = /^\s*(\d{1,7})\/m\s*$/;

const rateLimit: Check<number> = formed(
  () => ({ type: 'string', pattern: PER_MINUTE.source }),
  (node, problems) => {
    const limit = Number(PER_MINUTE.exec(node.kind === 'scalar' ? node.source : '')?.[1]);
    return limit >= 1 && limit <= MOST_REQUESTS
      ? limit
      : complain(node, problems, `a number of requests a minute from "1/m" to "${MOST_REQUESTS}/m"`);
  },
);

function atLeast(shortest: Millis): Check<Millis> {
  return refine(duration, (length, node, problems) =>
    length >= shortest ? length : complain(node, problems, `a duration of ${formatDuration(shortest)} or more`),
  );
}

const shape = record('cloud', {
  'rate-limit': optional(
    describeKey('API requests a minute that each key may send. Default: unlimited.', '600/m', rateLimit),
    null,
  ),
  'expire-downlinks': optional(
    describeKey(
      'Age at which a downlink that no device fetched expires. Default: 30d.',
      '7d',
      atLeast(SHORTEST_EXPIRY),
    ),
    null,
  ),
  'retain-messages': optional(
    describeKey('How long messages are kept. Default: unlimited.', '14d', atLeast(SHORTEST_RETENTION)),
    null,
  ),
  'allow-private': optional(
    describeKey(
      'Lets connectors send to loopback and private addresses, if the run also has --allow-private.',
      true,
      boolean,
    ),
    false,
  ),
});

export const cloud: Check<CloudSettings> = refine(shape, (read) => ({
  rateLimit: read['rate-limit'],
  expireDownlinks: read['expire-downlinks'],
  retainMessages: read['retain-messages'],
  ...(read['allow-private'] && { allowPrivate: true }),
}));
