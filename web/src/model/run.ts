/**
 * The run behind the service, if there is one: its state, and the requests with which the console controls it. The paths below
 * `/run` exist only at the address that a run in real time has printed.
 */
import { computed, signal } from '@preact/signals';
import { ApiError } from '../../../src/client/client.js';
import { JsonHttp } from '../../../src/client/http.js';
import type {
  DeviceDoing,
  DownlinkWaits,
  FaultKind,
  RunEnded,
  RunState,
  Selection,
} from '../../../src/control/run-state.js';
import type { PastRun, RunComparison } from '../../../src/control/travel.js';
import type { Explanation } from '../../../src/explain/explanation.js';
import { doubtService, isOver, pauseAfter } from '../api/answering.js';
import { linesOf } from '../api/lines.js';
import { followRun } from './now.js';
import { followStates } from './run-states.js';

/** A part of the output of a device. */
export interface LinePart {
  readonly from: string;
  readonly code: number;
  readonly lines: readonly string[];
}

/** The latest state; undefined without a run, or without the right to control it. */
export const runState = signal<RunState | undefined>(undefined);

/** Whether the service has said if there is a run. */
export const isRunKnown = signal(false);

/** Pages that show the data of the space. */
const OF_SPACE: readonly string[] = ['overview', 'fleet', 'devices', 'downlinks', 'administration'];

/** Pages that need the control of a run. */
const OF_RUN: readonly string[] = ['run', 'scenario'];

/** Whether the cloud has the data that the pages of the space show. The cloud of another maker may not have them. */
export const hasSpacePages = computed(() => runState.value?.has_history ?? true);

/** Whether the console has a page at present. */
export function hasPage(page: string): boolean {
  if (OF_RUN.includes(page)) return runState.value !== undefined;
  return hasSpacePages.value || !OF_SPACE.includes(page);
}

/** The end of the run; undefined while it runs. */
export const runEnd = signal<RunEnded | undefined>(undefined);

/** The active faults of the service, as a list for users; empty without any. */
export const serviceFaults = computed(() => {
  const { faults = [] } = runState.value ?? {};
  const acting = faults.filter(({ part, state }) => part === 'service' && state === 'active');
  return acting.map(({ fault }) => fault).join(', ');
});

export class Run {
  readonly #http = new JsonHttp({ baseUrl: location.origin });
  readonly #ending = new AbortController();

  /** Follows the state until the run ends. Does nothing if there is no run. */
  async follow(): Promise<void> {
    const { signal } = this.#ending;
    let failures = 0;
    while (!signal.aborted) {
      try {
        // The cast is safe because src/control answers with this type.
        take((await this.#http.request('GET', '/run')) as RunState);
        runEnd.value = undefined;
        failures = 0;
        await followStates((state) => this.#see(state), signal);
        return;
      } catch (error) {
        // The status is 404 if the service has no run, and 401 if the session did not begin at the address of the run.
        if (signal.aborted) return;
        // Any other error says nothing about the run.
        if (error instanceof ApiError && error.status < 500 && error.status !== 429) return take(undefined);
        void doubtService();
        await pauseAfter(++failures);
      }
    }
  }

  #see(state: unknown): void {
    if (this.#ending.signal.aborted) return;
    if (!hasEnded(state)) return take(state as RunState);
    runEnd.value = state;
    isOver.value = true;
    this.#ending.abort();
  }

  /** @param action `pause`, `resume`, `step` or `speed` */
  async act(action: string, body: Readonly<Record<string, unknown>> = {}): Promise<void> {
    take((await this.#http.request('POST', `/run/${action}`, {}, body)) as RunState);
  }

  /**
   * @param fault as in a scenario: `loss: 10%`
   * @param to selector; empty for all devices
   * @param lasts `10m`; empty if the fault lasts until it is lifted
   */
  async inject(fault: string, to: string, lasts: string): Promise<void> {
    await this.#http.request(
      'POST',
      '/run/faults',
      {},
      {
        fault,
        ...(to !== '' && { to }),
        ...(lasts !== '' && { for: lasts }),
      },
    );
  }

  async faultKinds(): Promise<readonly FaultKind[]> {
    return (await this.#http.request('GET', '/run/faults')) as readonly FaultKind[];
  }

  async pastRuns(): Promise<readonly PastRun[]> {
    return (await this.#http.request('GET', '/run/past')) as readonly PastRun[];
  }

  /** Repeats the run up to a moment. @param at time of the run, such as `40m` */
  async goBack(at: string): Promise<PastRun> {
    return (await this.#http.request('POST', '/run/past', {}, { at })) as PastRun;
  }

  /**
   * Lets a repeated run ({@link goBack}) continue, and compares it with the original.
   * @param lasts for how long, such as `2h`; empty: to its end
   */
  async compare(id: string, lasts: string): Promise<RunComparison> {
    const body = { id, ...(lasts !== '' && { for: lasts }) };
    return (await this.#http.request('POST', '/run/comparisons', {}, body)) as RunComparison;
  }

  async lift(id: string): Promise<void> {
    await this.#http.request('DELETE', `/run/faults/${encodeURIComponent(id)}`);
  }

  /** Undoes {@link lift}. */
  async restore(id: string): Promise<void> {
    await this.#http.request('POST', '/run/faults/restored', {}, { id });
  }

  /**
   * Explains the time that a downlink of a device takes.
   * @param serial serial number of the device
   * @param whatIf whether to say what would have delivered it sooner, in virtual time. Default: false
   */
  async explain(id: string, serial: string, whatIf = false): Promise<Explanation> {
    const query = { serial, ...(whatIf && { 'what-if': 'true' }) };
    // The cast is safe because src/control answers with this type.
    return (await this.#http.request('GET', `/run/explanations/${encodeURIComponent(id)}`, query)) as Explanation;
  }

  /**
   * The stages of downlinks and the causes of their waits, without the downlinks that the run does not know.
   * @param downlinks at most 50, with the serial numbers of their devices
   */
  async journeys(
    downlinks: readonly { readonly id: string; readonly serial: string }[],
  ): Promise<readonly DownlinkWaits[]> {
    // The cast is safe because src/control answers with this type.
    return (await this.#http.request('POST', '/run/waits', {}, { downlinks })) as readonly DownlinkWaits[];
  }

  /** What a device does. @throws ApiError 404 if the run has no device with this serial number */
  async doing(serial: string): Promise<DeviceDoing> {
    // The cast is safe because src/control answers with this type.
    return (await this.#http.request('GET', `/run/devices/${encodeURIComponent(serial)}`)) as DeviceDoing;
  }

  /** The devices that a selector selects. @throws ApiError 400 for an invalid selector */
  async devices(on: string): Promise<readonly { readonly serial: number }[]> {
    // The cast is safe because src/control answers with this type.
    return (await this.#http.request('GET', '/run/devices', { on })) as readonly { readonly serial: number }[];
  }

  /** Executes a line on devices; yields their output as it arrives. */
  async *line(on: string, line: string): AsyncGenerator<LinePart> {
    for await (const part of linesOf('/run/lines', { method: 'POST', body: JSON.stringify({ on, line }) })) {
      if (typeof part === 'object' && part !== null && 'from' in part) yield part as LinePart;
    }
  }

  /** The number of devices that a selector selects, and the control commands for them. */
  async selection(on: string): Promise<Selection> {
    return (await this.#http.request('GET', '/run/selection', { on })) as Selection;
  }

  /** Words that can follow at the end of a line, for the first selected device. */
  async complete(on: string, line: string): Promise<readonly string[]> {
    const { words } = (await this.#http.request('POST', '/run/complete', {}, { on, line })) as {
      words: readonly string[];
    };
    return words;
  }

  close(): void {
    this.#ending.abort();
    take(undefined);
    isRunKnown.value = false;
  }
}

/** Whether this is the last part of the stream. */
function hasEnded(state: unknown): state is RunEnded {
  return typeof state === 'object' && state !== null && 'ended' in state && typeof state.ended === 'string';
}

function take(state: RunState | undefined): void {
  runState.value = state;
  isRunKnown.value = true;
  // Another cloud has a time of its own, by which it answers.
  followRun(state && state.target === null ? Date.parse(state.now) : undefined);
}
