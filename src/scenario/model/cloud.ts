/** Settings of the embedded cloud that a scenario may change. parse/cloud.ts reads them. */
import { formatDuration, type Millis } from '../../kernel/time.js';

/** A setting that is null has the default of the service. */
export interface CloudSettings {
  /** Requests a minute that are allowed for each API key. */
  readonly rateLimit: number | null;
  /** Age at which an unfetched downlink expires. */
  readonly expireDownlinks: Millis | null;
  /** How long messages are kept. */
  readonly retainMessages: Millis | null;
  /** Set if connectors may send to private and loopback addresses; left out if the service rejects these addresses. */
  readonly allowPrivate?: true;
}

/** One text for each setting: `rate-limit 600/m`. */
export function describeCloud(settings: CloudSettings): readonly string[] {
  const { rateLimit: limit, expireDownlinks, retainMessages, allowPrivate } = settings;
  return [
    ...(limit === null ? [] : [`rate-limit ${limit}/m`]),
    ...(expireDownlinks === null ? [] : [`expire-downlinks ${formatDuration(expireDownlinks)}`]),
    ...(retainMessages === null ? [] : [`retain-messages ${formatDuration(retainMessages)}`]),
    ...(allowPrivate ? ['allow-private'] : []),
  ];
}
