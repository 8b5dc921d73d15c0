/** Why a downlink waits. Causes are compared by their texts: `fault:3`, `interval`. */

/**
 * | cause | the downlink waits |
 * |---|---|
 * | `fault:N` | because of fault N of the situation |
 * | `interval` | for the next report or poll of a device at rest |
 * | `power-on` | until the device is switched on for the first time |
 * | `encoder` | for an encoder, which the device type does not have |
 * | `downlinks` | behind other downlinks of the device |
 * | `update` | for the end of a firmware update, because a configuration would interrupt it |
 */
export type CauseKey = `fault:${number}` | 'interval' | 'power-on' | 'encoder' | 'downlinks' | 'update';

export type CauseSet = ReadonlySet<CauseKey>;

export const NO_CAUSE: CauseSet = new Set();

export function faultCauses(faults: readonly number[], ...others: readonly CauseKey[]): CauseSet {
  return new Set<CauseKey>([...others, ...faults.map((index): CauseKey => `fault:${index}`)]);
}

/** The text for a set of causes; equal sets have the same text. */
export function setKey(causes: CauseSet): string {
  return [...causes].sort().join(' ');
}

export function hasFault(causes: CauseSet): boolean {
  return [...causes].some((cause) => cause.startsWith('fault:'));
}
