/**
 * The metrics of a run, pushed to a Prometheus Pushgateway: now and then while the run goes on, and once at its end. A run never
 * suffers from it: what goes wrong is said once, and nobody is waited for longer than a few seconds.
 *
 * Each push replaces the last one of the same run (PUT), so that what the gateway keeps afterwards is how the run ended.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Alarm, Clock } from '../kernel/clock.js';
import { reasonOf } from '../kernel/no-answer.js';
import { type Millis, seconds } from '../kernel/time.js';
import { EXPOSITION_TYPE } from '../report/exposition.js';
import type { RunControl } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import { runMetrics } from './run-metrics.js';

/** In real time, as Prometheus usually scrapes. */
const EVERY: Millis = seconds(15);
const PATIENCE: Millis = seconds(5);
/** When the user wants to go. */
const PATIENCE_INTERRUPTED: Millis = seconds(1);

/** Where metrics are pushed to. */
export interface PushAddress {
  /** Without name and password, and without a slash at its end. */
  readonly url: string;
  /** With `authorization`, when there is a name or password. */
  readonly headers: Readonly<Record<string, string>>;
}

/** For messages: what {@link pushAddress} wants. */
export const PUSH_ADDRESS_FORM =
  'the address of a Pushgateway, such as http://127.0.0.1:9091 or https://user:password@host';

/** Reads `http://user:password@127.0.0.1:9091/prefix`; undefined when it is nothing of that kind. */
export function pushAddress(text: string): PushAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const { protocol, origin, pathname, search, hash, username, password } = new URL(text);
  if (!/^https?:$/.test(protocol) || search !== '' || hash !== '') return undefined;
  const url = `${origin}${pathname.replace(/\/+$/, '')}`;
  if (username === '' && password === '') return { url, headers: {} };
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return { url, headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` } };
  } catch {
    // A percent sign that begins nothing.
    return undefined;
  }
}

export interface MetricsPushOptions {
  readonly address: PushAddress;
  readonly plan: Plan;
  /** Real time, also in a simulation: the gateway knows no other. */
  readonly clock: Clock;
  /** Called once, with a sentence, when a push fails. */
  readonly complain: (sentence: string) => void;
}

export class MetricsPush {
  readonly #options: MetricsPushOptions;
  #control: RunControl | undefined;
  #next: Alarm | undefined;
  #underWay: AbortController | undefined;
  #patience = PATIENCE;
  #complained = false;

  constructor(options: MetricsPushOptions) {
    this.#options = options;
  }

  /** Pushes now and then from now on. */
  follow(control: RunControl): void {
    this.#control = control;
    const later = (): void => {
      this.#next = this.#options.clock.after(EVERY, 'the next push of metrics', () => {
        void this.#push();
        later();
      });
    };
    later();
  }

  /** The user wants to go: what is under way is given up, and what comes is not waited for as long. */
  interrupt(): void {
    this.#patience = PATIENCE_INTERRUPTED;
    this.#underWay?.abort(GIVEN_UP);
  }

  /** Pushes how the run has ended; settles when that is done, or was tried for long enough. Never rejects. */
  async last(): Promise<void> {
    this.close();
    await this.#push();
  }

  /** Gives up what is under way, and begins nothing more. */
  close(): void {
    this.#next?.cancel();
    this.#underWay?.abort(GIVEN_UP);
  }

  async #push(): Promise<void> {
    const { address, plan, clock } = this.#options;
    if (this.#control === undefined) return;
    const underWay = new AbortController();
    this.#underWay = underWay;
    const tooLate = new Error(`no answer within ${this.#patience / 1000} s`);
    const alarm = clock.after(this.#patience, 'the answer to a push', () => underWay.abort(tooLate));
    try {
      const status = await put(address, pathOf(plan), runMetrics(plan, this.#control), underWay.signal);
      if (status < 200 || status > 299) this.#complain(`the answer is ${status}`);
    } catch (error) {
      if (underWay.signal.reason !== GIVEN_UP) this.#complain(reasonOf(underWay.signal.reason ?? error));
    } finally {
      alarm.cancel();
    }
  }

  #complain(why: string): void {
    const { address, complain } = this.#options;
    if (!this.#complained) complain(`metrics cannot be pushed to ${new URL(address.url).origin}: ${why}`);
    this.#complained = true;
  }
}

const GIVEN_UP = new Error('given up');

function pathOf({ scenario, seed }: Plan): string {
  return `/metrics/job/ghostfleet/instance/${scenario}-${seed}`;
}

/**
 * The status of the answer. Node's own client, because it lets go of a connection at once that is still being made: nobody
 * should have to wait for one after Ctrl-C.
 */
function put({ url, headers }: PushAddress, path: string, text: string, signal: AbortSignal): Promise<number> {
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const asked = request(url + path, {
      method: 'PUT',
      agent: false,
      headers: { 'content-type': EXPOSITION_TYPE, ...headers },
      signal,
    });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      resolve(answer.statusCode ?? 0);
      answer.destroy();
    });
    asked.end(text);
  });
}
