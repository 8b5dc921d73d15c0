/**
 * A shell over downlinks. A line becomes a shell downlink for each target. The answers appear when the devices have sent them,
 * which may take hours. Meanwhile, further lines can be entered.
 */
import { signal } from '@preact/signals';
import { ApiError, type DeviceCloudClient } from '../../../../src/client/client.js';
import type { Message } from '../../../../src/client/types.js';
import { grouped, type Printed } from '../../../../src/console/grouping.js';
import { printable } from '../../../../src/kernel/printable.js';
import { humanDuration } from '../../../../src/kernel/time.js';
import { explain } from '../../api/session.js';
import { counted } from '../../model/count.js';
import type { Feed, Station } from '../../model/feed.js';
import type { Screen } from './line-editor.js';

export interface Target {
  readonly id: string;
  readonly name: string;
}

interface Entry {
  readonly line: string;
  readonly target: Target;
  /** When the line was queued, in Unix ms. */
  readonly at: number;
}

/** Answers that arrive within this time, in ms, are shown together. */
const TOGETHER = 300;
/** Maximum number of devices for one line. */
const MOST = 500;
/** Maximum number of concurrent requests. */
const PARALLEL = 8;

export interface RemoteOptions {
  readonly client: DeviceCloudClient;
  readonly feed: Feed;
  /** The devices that will receive the next line. */
  readonly targets: () => readonly Target[];
  readonly screen: Screen;
}

export class Remote {
  /** Downlinks whose answers have not arrived, oldest first. */
  readonly waiting = signal<readonly Entry[]>([]);
  readonly #options: RemoteOptions;
  readonly #open = new Map<string, Entry>();
  readonly #end: () => void;
  #answers: (Printed & { readonly wait: number })[] = [];

  constructor(options: RemoteOptions) {
    this.#options = options;
    this.#end = options.feed.listen({
      message: (message) => this.#see(message),
      station: (station) => this.#follow(station),
      device: ({ device_id, device }) => {
        if (device === null) this.#forget(device_id);
      },
      reset: () => void this.#forgetDeleted(),
    });
  }

  async enter(line: string): Promise<void> {
    if (line.trim() === '') return;
    const targets = this.#options.targets();
    const { screen } = this.#options;
    if (targets.length === 0) return screen.print('no device is selected', 'failed');
    if (targets.length > MOST) return screen.print(`${targets.length} devices are selected; at most ${MOST}`, 'failed');
    const left = [...targets];
    let queued = 0;
    const sender = async () => {
      for (let target = left.shift(); target; target = left.shift()) if (await this.#send(target, line)) queued++;
    };
    await Promise.all(Array.from({ length: PARALLEL }, sender));
    if (queued === 0) return;
    const who = targets.length === 1 ? 'the device fetches it at its next contact' : `for ${counted(queued, 'device')}`;
    screen.print(`queued; ${who}`, 'dim');
  }

  close(): void {
    this.#end();
  }

  /** Queues a shell downlink. @returns whether the cloud accepted it */
  async #send(target: Target, line: string): Promise<boolean> {
    const { client, feed, screen } = this.#options;
    try {
      const message = await client.sendCommands(target.id, [line]);
      this.#open.set(message.id, { line, target, at: Date.parse(message.created_at) });
      this.#changed();
      feed.see(message);
      return true;
    } catch (error) {
      screen.print(`${target.name}: ${explain(error)}`, 'failed');
      return false;
    }
  }

  #follow({ message_id, what, at }: Station): void {
    const entry = this.#open.get(message_id);
    if (!entry || !['sent', 'cancelled', 'expired'].includes(what)) return;
    const wait = humanDuration(Date.parse(at) - entry.at);
    this.#options.screen.print(`${entry.target.name}: ${printable(entry.line)}: ${what} after ${wait}`, 'dim');
    if (what !== 'sent') this.#open.delete(message_id);
    this.#changed();
  }

  /** Stops waiting for answers of a device that was deleted. */
  #forget(deviceId: string): void {
    for (const [id, { target, line }] of this.#open) {
      if (target.id !== deviceId) continue;
      this.#open.delete(id);
      const what = 'cancelled, because the device was deleted';
      this.#options.screen.print(`${target.name}: ${printable(line)}: ${what}`, 'failed');
    }
    this.#changed();
  }

  /** Called after events were missed: checks whether the devices of open lines still exist. */
  async #forgetDeleted(): Promise<void> {
    for (const id of new Set([...this.#open.values()].map(({ target }) => target.id))) {
      await this.#options.client.device(id).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 404) this.#forget(id);
      });
    }
  }

  #see({ type, direction, body, created_at }: Message): void {
    if (type !== 'shell' || direction !== 'up') return;
    // The cast is safe because the body of a shell uplink is an object with these fields.
    const { message_id, responses } = body as { message_id?: unknown; responses?: unknown };
    const entry = this.#open.get(String(message_id));
    if (!entry || !Array.isArray(responses)) return;
    this.#open.delete(String(message_id));
    this.#changed();
    const wait = Date.parse(created_at) - entry.at;
    for (const { outputs, result } of responses as readonly { outputs?: unknown; result?: unknown }[]) {
      const lines = Array.isArray(outputs) ? outputs.map((output) => printable(String(output))) : [];
      this.#answers.push({ from: entry.target.name, code: typeof result === 'number' ? result : 0, lines, wait });
    }
    if (this.#answers.length === responses.length) setTimeout(() => this.#show(), TOGETHER);
  }

  #show(): void {
    const answers = this.#answers;
    this.#answers = [];
    const waits = answers.map(({ wait }) => wait);
    const [least, most] = [humanDuration(Math.min(...waits)), humanDuration(Math.max(...waits))];
    this.#options.screen.print(`answer after ${least === most ? most : `${least} to ${most}`}`, 'dim');
    this.#options.screen.print(grouped(answers).join('\n'));
  }

  #changed(): void {
    this.waiting.value = [...this.#open.values()];
  }
}
