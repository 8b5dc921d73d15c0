/**
 * Tasks of many tenants (tenants.ts) that share few places: connections, threads that run scripts, or attempts of deliveries.
 *
 * The next task comes from the tenant with the fewest running tasks; among equals, from the one that has used the least time. So
 * every tenant gets its share, regardless of how many spaces, connectors or slow scripts others have. The same rule decides
 * between the connectors of a tenant. A tenant or connector that comes back after a pause begins with the least used time of
 * those that are present, so that a pause gives it no advantage.
 */
import type { Millis } from '../../kernel/time.js';

/** The tenant, and the part of it, to which a task belongs. */
export interface Owner {
  readonly tenant: string;
  /** A connector, or something else of the tenant whose tasks have a limit of their own. */
  readonly part: string;
  /** Maximum number of waiting tasks of the part (query-turns.ts). Default: any. */
  readonly mostWaiting?: number;
}

interface Places {
  /** Maximum number of tasks that run at a time. */
  readonly all: number;
  /** Maximum number of tasks of one tenant. @param mean mean duration of its latest tasks; undefined if none has ended */
  readonly tenant: (mean: Millis | undefined) => number;
  /** Maximum number of tasks of one part of a tenant. */
  readonly part: number;
}

/** A task that has been started. */
interface Turn<Task> {
  readonly task: Task;
  readonly tenant: string;
  /** Frees the place. @param took duration of the task */
  end(took: Millis): void;
}

interface Share {
  running: number;
  /** Time used by the tasks of the tenant or part, plus the smallest `used` of the others when it was added. */
  used: Millis;
}

interface Part<Task> extends Share {
  readonly waiting: Task[];
}

interface Tenant<Task> extends Share {
  mean: Millis | undefined;
  readonly parts: Map<string, Part<Task>>;
}

/** Weight of the latest task in the mean duration of a tenant's tasks. */
const LATEST = 0.25;
/** Minimum time that is charged for a task, so that tasks without duration take turns as well. */
const LEAST = 1;

export class FairQueue<Task> {
  readonly #places: Places;
  readonly #tenants = new Map<string, Tenant<Task>>();
  #running = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  add({ tenant, part: name }: Owner, task: Task): void {
    const shares: Tenant<Task> = this.#tenants.get(tenant) ?? {
      running: 0,
      used: leastUsed(this.#tenants),
      mean: undefined,
      parts: new Map(),
    };
    this.#tenants.set(tenant, shares);
    const part: Part<Task> = shares.parts.get(name) ?? { running: 0, used: leastUsed(shares.parts), waiting: [] };
    shares.parts.set(name, part);
    part.waiting.push(task);
  }

  /** Takes the task whose turn it is; undefined if none may run now. */
  start(): Turn<Task> | undefined {
    if (this.#running >= this.#places.all) return undefined;
    let first: { tenant: string; shares: Tenant<Task>; name: string; part: Part<Task> } | undefined;
    for (const [tenant, shares] of this.#tenants) {
      if (shares.running >= this.#places.tenant(shares.mean) || (first && !isBefore(shares, first.shares))) continue;
      const [name, part] = this.#firstPart(shares) ?? [];
      if (name !== undefined && part) first = { tenant, shares, name, part };
    }
    const task = first?.part.waiting.shift();
    if (!first || task === undefined) return undefined;
    const { tenant, shares, name, part } = first;
    for (const share of [shares, part]) share.running++;
    this.#running++;
    return { task, tenant, end: once((took) => this.#ended(tenant, shares, name, part, took)) };
  }

  /** Number of waiting tasks of a tenant, or of one of its parts. */
  waiting(tenant: string, part?: string): number {
    const parts = this.#tenants.get(tenant)?.parts;
    if (part !== undefined) return parts?.get(part)?.waiting.length ?? 0;
    return [...(parts?.values() ?? [])].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Whether the part of a tenant has running or waiting tasks. */
  has(tenant: string, part: string): boolean {
    return this.#tenants.get(tenant)?.parts.has(part) ?? false;
  }

  /** Removes all waiting tasks and returns them. */
  clear(): Task[] {
    return [...this.#tenants.values()].flatMap(({ parts }) =>
      [...parts.values()].flatMap(({ waiting }) => waiting.splice(0)),
    );
  }

  #firstPart({ parts }: Tenant<Task>): readonly [string, Part<Task>] | undefined {
    let first: readonly [string, Part<Task>] | undefined;
    for (const entry of parts) {
      const [, part] = entry;
      if (part.waiting.length === 0 || part.running >= this.#places.part) continue;
      if (!first || isBefore(part, first[1])) first = entry;
    }
    return first;
  }

  #ended(tenant: string, shares: Tenant<Task>, name: string, part: Part<Task>, took: Millis): void {
    this.#running--;
    for (const share of [shares, part]) {
      share.running--;
      share.used += Math.max(took, LEAST);
    }
    shares.mean = shares.mean === undefined ? took : shares.mean + LATEST * (took - shares.mean);
    if (part.running === 0 && part.waiting.length === 0) shares.parts.delete(name);
    if (shares.parts.size === 0) this.#tenants.delete(tenant);
  }
}

function isBefore(a: Share, b: Share): boolean {
  return a.running === b.running ? a.used < b.used : a.running < b.running;
}

function leastUsed(shares: ReadonlyMap<string, Share>): Millis {
  return shares.size === 0 ? 0 : Math.min(...[...shares.values()].map(({ used }) => used));
}

function once(action: (took: Millis) => void): (took: Millis) => void {
  let done = false;
  return (took) => {
    if (!done) action(took);
    done = true;
  };
}
