/** Settings of the embedded cloud that a scenario may change. Reading: parse/cloud.ts. */
import { formatDuration, type Millis } from '../../kernel/time.js';

/** What is null is as the service has it by itself. */
export interface CloudSettings {
  /** Requests that a key may make in a minute. */
  readonly rateLimit: number | null;
  readonly expireDownlinks: Millis | null;
  readonly retainMessages: Millis | null;
  /** Connectors may send to private and loopback addresses; left out: they may not. */
  readonly allowPrivate?: true;
}

/** `rate-limit 600/m`, one text a setting. */
export function describeCloud(settings: CloudSettings): readonly string[] {
  const { rateLimit: limit, expireDownlinks, retainMessages, allowPrivate } = settings;
  return [
    ...(limit === null ? [] : [`rate-limit ${limit}/m`]),
    ...(expireDownlinks === null ? [] : [`expire-downlinks ${formatDuration(expireDownlinks)}`]),
    ...(retainMessages === null ? [] : [`retain-messages ${formatDuration(retainMessages)}`]),
    ...(allowPrivate ? ['allow-private'] : []),
  ];
}
