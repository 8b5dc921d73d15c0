/**
 * Downlinks that steps and loads requested and the API did not accept. They never exist in the cloud, so the ledger of
 * downlinks does not contain them. Shares and percentiles count them as never delivered.
 */
import type { Handlers } from '../dispatch.js';
import type { DownlinkType } from '../events.js';
import type { Share } from './metric.js';

/** A rejected downlink's state. Reports list what a percentile counts without a measurement. */
export const REJECTED = 'rejected by the API';

export class Rejections {
  readonly #byType = new Map<DownlinkType, number>();

  readonly on: Handlers = {
    'downlink.rejected': ({ type }) => {
      this.#byType.set(type, (this.#byType.get(type) ?? 0) + 1);
    },
  };

  /** Number of rejected downlinks of the types for which `test` returns true. */
  count(test: (type: DownlinkType) => boolean = () => true): number {
    let count = 0;
    for (const [type, rejected] of this.#byType) if (test(type)) count += rejected;
    return count;
  }
}

/** Adds `rejected` exchanges, which never complete, to a share. */
export function addRejected(share: Share, rejected: number): Share {
  return rejected === 0 ? share : { ...share, total: share.total + rejected, rejected };
}
