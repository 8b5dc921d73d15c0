/**
 * The `cloud` of a scenario: settings of the embedded cloud that the situation depends on, as `ghostfleet serve` has them.
 * Another cloud has settings of its own.
 *
 *     cloud:
 *       rate-limit: 600/m        # requests that a key may make in a minute; any number
 *       expire-downlinks: 7d     # when a downlink that no device has fetched ends; after 30d
 *       retain-messages: 14d     # how long messages are kept; without limit
 *       allow-private: true      # connectors may send to this machine and its network; they may not
 */
import { boolean, type Check, complain, duration, formed, optional, record, refine } from '../../input/checks.js';
import { days, formatDuration, hours, type Millis } from '../../kernel/time.js';
import type { CloudSettings } from '../model/cloud.js';

/** The highest limit of requests in a minute. */
export const MOST_REQUESTS = 1_000_000;
/** The cloud looks for overdue downlinks once an hour. */
export const SHORTEST_EXPIRY: Millis = hours(1);
/** The cloud recognises a repeated message for this long. */
export const SHORTEST_RETENTION: Millis = days(2);

const PER_MINUTE = /^\s*(\d{1,7})\/m\s*$/;

const rateLimit: Check<number> = formed(
  () => ({ type: 'string', pattern: PER_MINUTE.source }),
  (node, problems) => {
    const limit = Number(PER_MINUTE.exec(node.kind === 'scalar' ? node.source : '')?.[1]);
    return limit >= 1 && limit <= MOST_REQUESTS
      ? limit
      : complain(node, problems, `requests in a minute from "1/m" to "${MOST_REQUESTS}/m"`);
  },
);

function atLeast(shortest: Millis): Check<Millis> {
  return refine(duration, (length, node, problems) =>
    length >= shortest ? length : complain(node, problems, `a duration of ${formatDuration(shortest)} or more`),
  );
}

const shape = record('cloud', {
  'rate-limit': optional(rateLimit, null),
  'expire-downlinks': optional(atLeast(SHORTEST_EXPIRY), null),
  'retain-messages': optional(atLeast(SHORTEST_RETENTION), null),
  'allow-private': optional(boolean, false),
});

/** Reads the settings. */
export const cloud: Check<CloudSettings> = refine(shape, (read) => ({
  rateLimit: read['rate-limit'],
  expireDownlinks: read['expire-downlinks'],
  retainMessages: read['retain-messages'],
  ...(read['allow-private'] && { allowPrivate: true }),
}));
