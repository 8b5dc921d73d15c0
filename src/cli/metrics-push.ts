/**
 * Pushes the metrics of a run to a Prometheus Pushgateway: every 15 s while the run lasts, and once at its end. A push times
 * out after 5 s, or after 1 s if the user has pressed Ctrl-C. A failed push never fails the run, and only the first failure is
 * reported.
 *
 * Each push replaces the last one of the same run (PUT), so the gateway ends up with the final state of the run.
 */
import { Pushgateway } from 'prom-client';
import type { Alarm, Clock } from '../kernel/clock.js';
import { reasonOf } from '../kernel/system-errors.js';
import { type Millis, seconds } from '../kernel/time.js';
import type { RunControl } from '../runner/run.js';
import type { Plan } from '../scenario/model/plan.js';
import { runMetrics } from './run-metrics.js';

/** Interval of the pushes in real time: Prometheus' usual scrape interval. */
const EVERY: Millis = seconds(15);
const TIMEOUT: Millis = seconds(5);
/** Timeout after the first Ctrl-C. */
const TIMEOUT_INTERRUPTED: Millis = seconds(1);

/** A Pushgateway and how to authenticate with it. */
export interface PushAddress {
  /** Without user name and password, and without a trailing slash. */
  readonly url: string;
  /** `authorization`, if the address had a user name or password. */
  readonly headers: Readonly<Record<string, string>>;
}

/** For messages: what {@link pushAddress} expects. */
export const PUSH_ADDRESS_FORM =
  'the address of a Pushgateway, such as http://127.0.0.1:9091 or https://user:password@host';

/** Reads `http://user:password@127.0.0.1:9091/prefix`; undefined if the text is not such an address. */
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
    // The user name or the password contains an invalid percent escape.
    return undefined;
  }
}

interface MetricsPushOptions {
  readonly address: PushAddress;
  readonly plan: Plan;
  /** Real time, also for a run in virtual time. */
  readonly clock: Clock;
  /** Called with a sentence for the first push that fails. */
  readonly complain: (sentence: string) => void;
}

export class MetricsPush {
  readonly #options: MetricsPushOptions;
  #control: RunControl | undefined;
  #next: Alarm | undefined;
  #current: AbortController | undefined;
  #timeout = TIMEOUT;
  #complained = false;

  constructor(options: MetricsPushOptions) {
    this.#options = options;
  }

  /** Starts the regular pushes. */
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

  /** The user pressed Ctrl-C: aborts the current push and shortens the timeout of the final push. */
  interrupt(): void {
    this.#timeout = TIMEOUT_INTERRUPTED;
    this.#current?.abort(ABORTED);
  }

  /** Pushes the final state of the run. Resolves when the push has succeeded, failed or timed out; never rejects. */
  async pushLast(): Promise<void> {
    this.close();
    await this.#push();
  }

  /** Aborts the current push and stops the regular ones. */
  close(): void {
    this.#next?.cancel();
    this.#current?.abort(ABORTED);
  }

  async #push(): Promise<void> {
    const { address, plan, clock } = this.#options;
    if (this.#control === undefined) return;
    const current = new AbortController();
    this.#current = current;
    const timedOut = new Error(`no response within ${this.#timeout / 1000} s`);
    const alarm = clock.after(this.#timeout, 'the response to a push', () => current.abort(timedOut));
    try {
      await put(address, plan, this.#control, current.signal);
    } catch (error) {
      if (current.signal.reason !== ABORTED) this.#complain(current.signal.reason ?? error);
    } finally {
      alarm.cancel();
    }
  }

  #complain(error: unknown): void {
    const { address, complain } = this.#options;
    if (!this.#complained) complain(`cannot push metrics to ${new URL(address.url).origin}: ${reasonOf(error)}`);
    this.#complained = true;
  }
}

const ABORTED = new Error('aborted');

/** @throws Error if the gateway rejects the metrics; if `signal` aborts the push, its reason */
async function put({ url, headers }: PushAddress, plan: Plan, control: RunControl, signal: AbortSignal): Promise<void> {
  const registry = runMetrics(plan, control);
  const gateway = new Pushgateway(
    url,
    { agent: false, headers: { 'content-type': registry.contentType, ...headers }, signal },
    registry,
  );
  // The client's promise does not settle if the connection breaks after the response has begun; an abort then ends the wait.
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  const push = gateway.push({ jobName: 'ghostfleet', groupings: { instance: `${plan.scenario}-${plan.seed}` } });
  try {
    const { resp } = await Promise.race([push, aborted]);
    // The cast is needed because the types do not say that this is Node's response.
    const status = (resp as { readonly statusCode?: number }).statusCode ?? 0;
    if (status > 299) throw new Error(`the response has the status ${status}`);
  } catch (error) {
    // Keeps only the status: the message continues with the body of the response, which may be a whole page.
    const [, status] = /^push failed with status (\d+)/.exec(error instanceof Error ? error.message : '') ?? [];
    throw status === undefined ? error : new Error(`the response has the status ${status}`);
  }
}
