/** The services that the API works on; `startService` passes them to `createApi`. */
import type { Clock } from '../../kernel/clock.js';
import type { Log } from '../../kernel/log.js';
import type { Random } from '../../kernel/random.js';
import type { PasswordCost } from '../accounts/passwords.js';
import type { Computed } from '../connectors/attempt.js';
import type { Connector } from '../connectors/connector.js';
import type { Feed } from '../events/feed.js';
import type { History } from '../history/history.js';
import type { Downlinks } from '../interfaces/downlinks.js';
import type { FirmwareUpdates } from '../interfaces/firmware-updates.js';
import type { Ids } from '../store/ids.js';
import type { Id, ListedMessage, Store } from '../store/store.js';

export interface CloudContext {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Source of secrets: keys, tokens, salts. */
  readonly random: Random;
  /** Cost of a password hash. Default: the cost in src/cloud/accounts/passwords.ts. */
  readonly passwordCost?: PasswordCost | undefined;
  /** Whether actions of users and API keys are recorded in the audit log. Default: they are not. */
  readonly audited?: boolean;
  /** Whether the key and the password of the start are stored. Default: they are */
  readonly isPrepared?: (() => boolean) | undefined;
  readonly downlinks: Downlinks;
  readonly firmware: FirmwareUpdates;
  readonly connectors: ConnectorControl;
  readonly feed: Feed;
  /** Undefined in a simulation. */
  readonly history?: History | undefined;
  readonly log: Log;
}

/** The part of the connectors that the API uses. */
interface ConnectorControl {
  /** Why the script is not valid, with line and column if known; undefined if it is. `main` is not called. */
  check(spaceId: Id, source: string): Promise<string | undefined>;
  /** Computes the request that the connector would send for the message on its first attempt; sends nothing. */
  preview(connector: Connector, message: ListedMessage): Promise<Computed>;
}
