/** The argument of a script's `main`: all fields that the published samples use, and variables (cloud C-33). */
import { isoTime } from '../../kernel/calendar.js';
import type { Seconds } from '../../kernel/time.js';
import { serialText } from '../store/order.js';
import type { DeviceRow, ListedMessage, Store } from '../store/store.js';
import type { Connector } from './connector.js';

interface Job {
  /** Number of the attempt, counted from 0. */
  readonly attempt: number;
  readonly message: {
    readonly id: string;
    readonly type: string;
    readonly direction: 'up' | 'down';
    readonly created_at: string;
    /** A JSON value; null if the message could not be decoded. */
    readonly body: unknown;
  };
  readonly device: {
    readonly id: string;
    readonly space_id: string;
    readonly name: string;
    readonly serial_number: string;
    readonly label: Readonly<Record<string, string>>;
    readonly tags: readonly string[];
    readonly session_id: number | null;
    readonly created_at: string;
  };
  readonly connector: { readonly id: string; readonly name: string; readonly timeout: Seconds };
  /** Values by name. A variable of the device takes precedence over a variable of the space. */
  readonly variables: Readonly<Record<string, string>>;
}

export async function jobFor(
  store: Store,
  connector: Connector,
  device: DeviceRow,
  message: ListedMessage,
  attempt: number,
  variables: Job['variables'],
): Promise<Job> {
  const { id, type, direction, createdAt, body } = message;
  const tags = await Promise.all(device.tagIds.map((tagId) => store.tag(device.spaceId, tagId)));
  return {
    attempt,
    message: { id, type, direction, created_at: isoTime(createdAt), body },
    device: {
      id: device.id,
      space_id: device.spaceId,
      name: device.name,
      serial_number: serialText(device.serial),
      label: device.label,
      tags: tags.filter((tag) => tag !== undefined).map((tag) => tag.name),
      session_id: device.sessionId,
      created_at: isoTime(device.createdAt),
    },
    connector: { id: connector.id, name: connector.name, timeout: connector.timeout },
    variables,
  };
}
