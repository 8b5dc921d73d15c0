/** Callers over HTTP that repeat each request until it is answered: one queues commands, the other is a device on the ingress. */
import { Pool } from 'undici';
import { numberedBody } from './numbered.js';

export interface Target {
  readonly api: string;
  readonly spaceId: string;
  readonly apiKey: string;
}

/** Queues commands for devices, each with an `Idempotency-Key` until it is accepted. */
export class Queuer {
  /** Ids that the service returned, by the text of the command. */
  readonly queued = new Map<string, string>();
  readonly #name: string;
  #stopping = false;

  constructor(name: string) {
    this.#name = name;
  }

  async run({ api, spaceId, apiKey }: Target, deviceIds: readonly string[], pauseMs: number): Promise<void> {
    const pool = new Pool(api, { connections: 1 });
    for (let number = 0; !this.#stopping; number++) {
      const command = `echo ${this.#name} ${number}`;
      const device = deviceIds[number % deviceIds.length];
      const path = `/v2/spaces/${spaceId}/devices/${device}/commands`;
      const headers = { 'x-api-key': apiKey, 'idempotency-key': command.replaceAll(' ', '-') };
      const answer = await untilAnswered(pool, path, headers, [command], 201);
      this.queued.set(command, (answer as { readonly id: string }).id);
      await sleep(pauseMs);
    }
    await pool.close();
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

  async run(api: string): Promise<void> {
    const pool = new Pool(api, { connections: 1 });
    const path = `/v2/device/${this.serial}/uplink`;
    const claim = `Claim ${this.#token}`;
    while (!this.#stopping) {
      await this.#turn();
      const body = numberedBody(this.serial, this.acknowledged);
      const uplink = { type: 'data', codec_hash: '0000000000000000', cbor: body.toString('base64') };
      const headers = { authorization: claim, 'idempotency-key': `${this.serial}-${this.acknowledged}` };
      await untilAnswered(pool, path, headers, uplink, 200);
      this.acknowledged++;
    }
    await pool.close();
  }

  stop(): void {
    this.#stopping = true;
  }
}

async function untilAnswered(
  pool: Pool,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: unknown,
  wanted: number,
): Promise<unknown> {
  for (;;) {
    try {
      const answer = await pool.request({
        method: 'POST',
        path,
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      const text = await answer.body.text();
      if (answer.statusCode === wanted) return JSON.parse(text);
      if (answer.statusCode !== 503 && answer.statusCode !== 429) {
        throw new UnexpectedAnswer(`POST ${path}: ${answer.statusCode} ${text}`);
      }
    } catch (error) {
      // The service was just killed, or has not started again.
      if (error instanceof UnexpectedAnswer) throw error;
    }
    await sleep(20);
  }
}

class UnexpectedAnswer extends Error {}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
