/**
 * Runs the loads of a plan. A load with a rate begins each iteration when it is due, even if responses are missing. A user of a
 * closed-loop load waits for the end of an iteration and a think time before the next one.
 */

import type { Alarm } from '../../kernel/clock.js';
import { EndingClock } from '../../kernel/ending-clock.js';
import { countOf } from '../../kernel/quantity.js';
import { between } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import { countRows } from '../../scenario/load/data-rows.js';
import type { UserPace } from '../../scenario/load/load.js';
import { listPresence } from '../../scenario/load/users.js';
import type { PlannedLoad } from '../../scenario/model/plan.js';
import type { Failed } from '../../transport/transport.js';
import { admitted } from '../targets/request-limit.js';
import type { Caller } from './callers.js';
import { Captures } from './captures.js';
import { type IterationContext, Iterations } from './iterations.js';
import { type Arrival, drawOwnArrivals, hasTurn } from './own-arrivals.js';
import { HELD, NOT_BEGUN, OVER } from './requests.js';

interface LoadOptions extends Omit<IterationContext, 'pauses' | 'captures'> {
  readonly callerOf: (load: PlannedLoad) => Caller;
  /** Least pause of a user between response and request; in virtual time, responses take none, and it must pass. */
  readonly leastPause: Millis;
  /** Called for every iteration of a load with a rate, with the time by which it is late. */
  readonly late?: (lateBy: Millis) => void;
  /** Called for each answer that exceeds a limit of ghostfleet. */
  readonly failed?: Failed;
}

interface Running {
  readonly iterations: Iterations;
  /** Iterations that are due and that the limit of requests holds back, by their numbers, with their due times. */
  readonly held?: ReadonlyMap<number, Instant>;
  close(): void;
}

export class Loads {
  readonly #running: readonly Running[];
  /** The clock of users and of chains that think: at the end, their alarms would keep the process alive. */
  readonly #pauses: EndingClock;

  /** Schedules the loads for their times. */
  constructor(loads: readonly PlannedLoad[], given: LoadOptions) {
    this.#pauses = new EndingClock(given.clock);
    const options = { ...given, pauses: this.#pauses, captures: new Captures(given.failed) };
    this.#running = loads.map((load) => {
      const iterations = new Iterations(load, options, options.callerOf(load));
      return load.pace.kind === 'closed'
        ? callByUsers(load, load.pace, iterations, options)
        : callAtRate(load, iterations, options);
    });
  }

  /** Descriptions of loads with open requests. */
  get open(): readonly string[] {
    return this.#running.flatMap(({ iterations: { name, unfinished }, held = new Map() }) => {
      const parts = [
        ...(unfinished > 0 ? [countOf(unfinished, 'request')] : []),
        ...(held.size > 0 ? [`${countOf(held.size, 'request')} that --rate holds back`] : []),
      ];
      return parts.length === 0 ? [] : [`the load "${name}" with ${parts.join(' and ')}`];
    });
  }

  /** Whether chains wait for the end of a think time. */
  get areThinking(): boolean {
    return this.#running.some(({ iterations }) => iterations.isThinking);
  }

  /** Ends the accounting; later responses do not count. */
  close(): void {
    for (const running of this.#running) running.close();
    this.#pauses.end();
  }
}

function callAtRate(load: PlannedLoad, iterations: Iterations, { clock, random, late, limit }: LoadOptions): Running {
  const held = new Map<number, Instant>();
  const begin = (k: number, due: Instant) => {
    held.set(k, due);
    admitted(limit, clock, (wait) => {
      if (!held.delete(k)) limit?.giveBack();
      // A request that we hold back is due when it may be sent: the wait says nothing about the service.
      else iterations.begin(k, wait === 0 ? due : clock.now, wait);
    });
  };
  const arrivals = drawOwnArrivals(load, random);
  let next = arrivals.next();
  let alarm: Alarm | undefined;
  const wait = () => {
    if (!next.done) alarm = clock.after(Math.max(0, next.value.due - clock.now), 'a request of a load', act);
  };
  const act = () => {
    for (; !next.done && next.value.due <= clock.now; next = arrivals.next()) {
      const { k, due } = next.value;
      late?.(clock.now - due);
      begin(k, due);
    }
    wait();
  };
  wait();
  return {
    iterations,
    held,
    close: () => {
      alarm?.cancel();
      for (const [k, due] of held) iterations.drop(k, due, HELD);
      held.clear();
      for (; !next.done && next.value.due <= clock.now; next = arrivals.next()) {
        iterations.drop(next.value.k, next.value.due, OVER);
      }
      iterations.close(listUntil(clock.now, drawOwnArrivals(load, random)));
    },
  };
}

function* listUntil(now: number, arrivals: Iterable<Arrival>): Generator<number, void> {
  for (const { k, due } of arrivals) {
    if (due > now) return;
    yield k;
  }
}

function callByUsers(
  load: PlannedLoad,
  pace: UserPace,
  iterations: Iterations,
  { leastPause, pauses: clock, limit, random }: LoadOptions & Pick<IterationContext, 'pauses'>,
): Running {
  const { users, think, longestThink = think, patient } = pace;
  const mean = Math.max((think + longestThink) / 2, leastPause);
  const most = Math.min(pace.iterations ?? Number.POSITIVE_INFINITY, countRows(load.data));
  const shared = Number.isFinite(most) ? shareIterations(load, most, users) : undefined;
  let over = false;
  const live = (user: number) => {
    const times = listPresence(pace, user, load);
    const draws = random.fork(`load/${load.name}/think/user/${user}`);
    const drawPause = () =>
      Math.max(longestThink > think ? Math.round(between(draws, think, longestThink)) : think, leastPause);
    let turns = 0;
    let present = 0;
    const isAway = () => over || clock.now >= (times[present]?.until ?? load.until);
    const turn = () => {
      if (isAway()) return come(present + 1);
      admitted(limit, clock, (held) => {
        if (isAway()) {
          limit?.giveBack();
          return come(present + 1);
        }
        // Iterations of different users have different numbers, however fast the users are.
        const k = shared === undefined ? turns++ * users + user : shared.next().value;
        if (k === undefined) limit?.giveBack();
        else if (!iterations.begin(k, clock.now, held, again)) rest(drawPause());
      });
    };
    const rest = (length: Millis) => clock.after(length, 'a user of a load has thought', turn);
    const again = (away: Millis) => {
      const pause = drawPause();
      const length = patient ? Math.max(pause, away) : pause;
      if (length === 0) turn();
      else rest(length);
    };
    const come = (next: number) => {
      const time = times[next];
      if (over || time === undefined) return;
      present = next;
      const first = time.from + (mean * time.place) / time.together;
      clock.after(Math.max(0, first - clock.now), 'a user of a load arrives', turn);
    };
    come(0);
  };
  for (let user = 0; user < users; user++) if (hasTurn(load, user)) live(user);
  return {
    iterations,
    close: () => {
      over = true;
      // Iterations that users share are due before the load ends. A run that ended early did not wait for them.
      if (shared !== undefined && pace.iterations !== undefined && clock.now >= load.until) {
        for (const k of shared) iterations.drop(k, load.until, NOT_BEGUN);
      }
      iterations.close();
    },
  };
}

/** The iterations that the users of this part share: those of user `k` of the whole load, `k + users`, and so on. */
function* shareIterations(load: PlannedLoad, count: number, users: number): Generator<number, undefined> {
  for (let k = 0; k < count; k++) if (hasTurn(load, k % users)) yield k;
}
