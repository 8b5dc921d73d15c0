/**
 * Callers over HTTP that repeat each request until it is answered: one queues commands, the other is a device on the ingress.
 */
import { Pool } from 'undici';
import { numberedBody } from './numbered.js';

export interface Target {
  /** Addresses of the nodes of a service. A caller uses one node, and changes to the next node if that one does not answer. */
  readonly apis: readonly string[];
  readonly spaceId: string;
  readonly apiKey: string;
}

/** Queues commands for devices. Repeats each with the same `Idempotency-Key` until it is accepted. */
export class Queuer {
  /** Ids that the service returned, by the text of the command. */
  readonly queued = new Map<string, string>();
  readonly #name: string;
  #stopping = false;

  constructor(name: string) {
    this.#name = name;
  }

  async run({ apis, spaceId, apiKey }: Target, deviceIds: readonly string[], pauseMs: number): Promise<void> {
    const caller = new Caller(apis);
    for (let number = 0; !this.#stopping; number++) {
      const command = `echo ${this.#name} ${number}`;
      const device = deviceIds[number % deviceIds.length];
      const path = `/v2/spaces/${spaceId}/devices/${device}/commands`;
      const headers = { 'x-api-key': apiKey, 'idempotency-key': command.replaceAll(' ', '-') };
      const answer = await caller.untilAnswered(path, headers, [command], 201);
      this.queued.set(command, (answer as { readonly id: string }).id);
      await sleep(pauseMs);
    }
    await caller.close();
  }

  stop(): void {
    this.#stopping = true;
  }
}

/** A device that sends numbered data messages to the HTTP ingress. */
export class HttpDevice {
  readonly serial: number;
  acknowledged = 0;
  readonly #token: string;
  readonly #turn: () => Promise<void>;
  #stopping = false;

  /** @param turn resolves when the device may send its next message; default: at once */
  constructor(serial: number, token: string, turn: () => Promise<void> = async () => {}) {
    this.serial = serial;
    this.#turn = turn;
    this.#token = token;
  }

  /** @param apis addresses of the nodes of the service */
  async run(apis: readonly string[]): Promise<void> {
    const caller = new Caller(apis);
    const path = `/v2/device/${this.serial}/uplink`;
    const claim = `Claim ${this.#token}`;
    while (!this.#stopping) {
      await this.#turn();
      const body = numberedBody(this.serial, this.acknowledged);
      const uplink = { type: 'data', codec_hash: '0000000000000000', cbor: body.toString('base64') };
      const headers = { authorization: claim, 'idempotency-key': `${this.serial}-${this.acknowledged}` };
      await caller.untilAnswered(path, headers, uplink, 200);
      this.acknowledged++;
    }
    await caller.close();
  }

  stop(): void {
    this.#stopping = true;
  }
}

/** Sends requests to one node, over one connection; changes to the next node if that one does not answer. */
class Caller {
  readonly #pools: readonly Pool[];
  #node = 0;

  constructor(apis: readonly string[]) {
    this.#pools = apis.map((api) => new Pool(api, { connections: 1 }));
  }

  async untilAnswered(
    path: string,
    headers: Readonly<Record<string, string>>,
    body: unknown,
    wanted: number,
  ): Promise<unknown> {
    for (;;) {
      const answer = await this.#post(path, headers, body).catch(() => undefined);
      if (answer?.status === wanted) return JSON.parse(answer.text);
      if (answer && answer.status !== 503 && answer.status !== 429) {
        throw new Error(`POST ${path}: ${answer.status} ${answer.text}`);
      }
      // A node that was just killed does not answer until it has started again.
      if (!answer) this.#node++;
      await sleep(20);
    }
  }

  async close(): Promise<void> {
    for (const pool of this.#pools) await pool.close();
  }

  async #post(path: string, headers: Readonly<Record<string, string>>, body: unknown) {
    const pool = this.#pools[this.#node % this.#pools.length] as Pool;
    const answer = await pool.request({
      method: 'POST',
      path,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
