/**
 * Runs the loads of a plan. A load with a rate sends each request when it is due, even if responses are missing. A user of a
 * closed-loop load waits for the response and a think time before the next request.
 */

import type { Alarm } from '../../kernel/clock.js';
import { countOf } from '../../kernel/quantity.js';
import type { Random } from '../../kernel/random.js';
import type { Instant, Millis } from '../../kernel/time.js';
import type { UserPace } from '../../scenario/load/load.js';
import type { PlannedLoad } from '../../scenario/model/plan.js';
import type { Caller } from './callers.js';
import { drawOwnArrivals, hasTurn } from './own-arrivals.js';
import { OVER, type RequestContext, Requests } from './requests.js';

interface LoadOptions extends RequestContext {
  readonly random: Random;
  readonly callerOf: (load: PlannedLoad) => Caller;
  /** Least pause of a user between response and request; in virtual time, responses take none, and it must pass. */
  readonly leastPause: Millis;
  /** Called for every request of a load with a rate, with the time by which the request is late. */
  readonly late?: (lateBy: Millis) => void;
}

interface Running {
  /** Number of requests that were due and are not finished. */
  readonly unfinished: number;
  readonly name: string;
  close(): void;
}

export class Loads {
  readonly #running: readonly Running[];

  /** Schedules the loads for their times. */
  constructor(loads: readonly PlannedLoad[], options: LoadOptions) {
    this.#running = loads.map((load) => {
      const requests = new Requests(load, options, options.callerOf(load));
      return load.pace.kind === 'closed'
        ? callByUsers(load, load.pace, requests, options)
        : callAtRate(load, requests, options);
    });
  }

  /** Descriptions of loads with open requests. */
  get open(): readonly string[] {
    return this.#running.flatMap(({ name, unfinished }) =>
      unfinished > 0 ? [`the load "${name}" with ${countOf(unfinished, 'request')}`] : [],
    );
  }

  /** Ends the accounting; later responses do not count. */
  close(): void {
    for (const running of this.#running) running.close();
  }
}

function callAtRate(load: PlannedLoad, requests: Requests, { clock, random, late }: LoadOptions): Running {
  const due = drawOwnArrivals(load, random);
  let next = due.next();
  let alarm: Alarm | undefined;
  const wait = () => {
    if (!next.done) alarm = clock.after(Math.max(0, next.value - clock.now), 'a request of a load', act);
  };
  const act = () => {
    for (; !next.done && next.value <= clock.now; next = due.next()) {
      late?.(clock.now - next.value);
      requests.make(next.value);
    }
    wait();
  };
  wait();
  return {
    name: load.name,
    get unfinished() {
      return requests.unfinished;
    },
    close: () => {
      alarm?.cancel();
      for (; !next.done && next.value <= clock.now; next = due.next()) requests.drop(next.value, OVER);
      requests.close(countUntil(clock.now, drawOwnArrivals(load, random)));
    },
  };
}

function countUntil(now: Instant, due: Iterable<Instant>): number {
  let count = 0;
  for (const moment of due) {
    if (moment > now) break;
    count++;
  }
  return count;
}

function callByUsers(
  load: PlannedLoad,
  { users, think, patient }: UserPace,
  requests: Requests,
  { clock, leastPause }: LoadOptions,
): Running {
  const pause = Math.max(think, leastPause);
  let made = 0;
  let over = false;
  const turn = () => {
    if (over || clock.now >= load.until) return;
    made++;
    if (!requests.make(clock.now, again)) rest(pause);
  };
  const rest = (length: Millis) => clock.after(length, 'a user of a load has thought', turn);
  const again = (away: Millis) => {
    const length = patient ? Math.max(pause, away) : pause;
    if (length === 0) turn();
    else rest(length);
  };
  for (let user = 0; user < users; user++) {
    if (!hasTurn(load, user)) continue;
    const first = load.from + (pause * user) / users;
    clock.after(Math.max(0, first - clock.now), 'a user of a load arrives', turn);
  }
  return {
    name: load.name,
    get unfinished() {
      return requests.unfinished;
    },
    close: () => {
      over = true;
      requests.close(made);
    },
  };
}
