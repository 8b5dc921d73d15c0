/**
 * Tasks of many spaces that share few places: threads that run scripts, or concurrent attempts of deliveries.
 *
 * The next task comes from the space with the fewest running tasks; among equals, from the one that has used the least time. So
 * every space gets its share, regardless of how many tasks, connectors or slow scripts other spaces have. The same rule decides
 * between the connectors of a space. A space or connector that comes back after a pause begins with the least used time of
 * those that are present, so that a pause gives it no advantage.
 */
import type { Millis } from '../../../kernel/time.js';

/** The space, and the part of it, to which a task belongs. */
export interface Owner {
  readonly spaceId: string;
  /** A connector, or something else in the space whose tasks have a limit of their own. */
  readonly part: string;
}

interface Places {
  /** Maximum number of tasks that run at a time. */
  readonly all: number;
  /** Maximum number of tasks of one space. @param mean mean duration of its latest tasks; undefined if none has ended */
  readonly space: (mean: Millis | undefined) => number;
  /** Maximum number of tasks of one part of a space. */
  readonly part: number;
}

/** A task that has been started. */
interface Turn<Task> {
  readonly task: Task;
  readonly spaceId: string;
  /** Frees the place. @param took duration of the task */
  end(took: Millis): void;
}

interface Share {
  running: number;
  /** Time used by the tasks of the space or part, plus the smallest `used` of the others when it was added. */
  used: Millis;
}

interface Part<Task> extends Share {
  readonly waiting: Task[];
}

interface Space<Task> extends Share {
  mean: Millis | undefined;
  readonly parts: Map<string, Part<Task>>;
}

/** Weight of the latest task in the mean duration of a space's tasks. */
const LATEST = 0.25;
/** Minimum time that is charged for a task, so that tasks without duration take turns as well. */
const LEAST = 1;

export class FairQueue<Task> {
  readonly #places: Places;
  readonly #spaces = new Map<string, Space<Task>>();
  #running = 0;

  constructor(places: Places) {
    this.#places = places;
  }

  add({ spaceId, part: name }: Owner, task: Task): void {
    const space: Space<Task> = this.#spaces.get(spaceId) ?? {
      ...newShare(this.#spaces),
      mean: undefined,
      parts: new Map(),
    };
    this.#spaces.set(spaceId, space);
    const part: Part<Task> = space.parts.get(name) ?? { ...newShare(space.parts), waiting: [] };
    space.parts.set(name, part);
    part.waiting.push(task);
  }

  /** Takes the task whose turn it is; undefined if none may run now. */
  start(): Turn<Task> | undefined {
    if (this.#running >= this.#places.all) return undefined;
    let first: { spaceId: string; space: Space<Task>; name: string; part: Part<Task> } | undefined;
    for (const [spaceId, space] of this.#spaces) {
      if (space.running >= this.#places.space(space.mean) || (first && !isBefore(space, first.space))) continue;
      const [name, part] = this.#firstPart(space) ?? [];
      if (name !== undefined && part) first = { spaceId, space, name, part };
    }
    const task = first?.part.waiting.shift();
    if (!first || task === undefined) return undefined;
    const { spaceId, space, name, part } = first;
    for (const share of [space, part]) share.running++;
    this.#running++;
    return { task, spaceId, end: once((took) => this.#ended(spaceId, space, name, part, took)) };
  }

  /** Number of waiting tasks of a space, or of one of its parts. */
  waiting(spaceId: string, part?: string): number {
    const parts = this.#spaces.get(spaceId)?.parts;
    if (part !== undefined) return parts?.get(part)?.waiting.length ?? 0;
    return [...(parts?.values() ?? [])].reduce((sum, { waiting }) => sum + waiting.length, 0);
  }

  /** Whether the part of a space has running or waiting tasks. */
  has(spaceId: string, part: string): boolean {
    return this.#spaces.get(spaceId)?.parts.has(part) ?? false;
  }

  /** Removes all waiting tasks and returns them. */
  clear(): Task[] {
    return [...this.#spaces.values()].flatMap(({ parts }) =>
      [...parts.values()].flatMap(({ waiting }) => waiting.splice(0)),
    );
  }

  #firstPart({ parts }: Space<Task>): readonly [string, Part<Task>] | undefined {
    let first: readonly [string, Part<Task>] | undefined;
    for (const entry of parts) {
      const [, part] = entry;
      if (part.waiting.length === 0 || part.running >= this.#places.part) continue;
      if (!first || isBefore(part, first[1])) first = entry;
    }
    return first;
  }

  #ended(spaceId: string, space: Space<Task>, name: string, part: Part<Task>, took: Millis): void {
    this.#running--;
    for (const share of [space, part]) {
      share.running--;
      share.used += Math.max(took, LEAST);
    }
    space.mean = space.mean === undefined ? took : space.mean + LATEST * (took - space.mean);
    if (part.running === 0 && part.waiting.length === 0) space.parts.delete(name);
    if (space.parts.size === 0) this.#spaces.delete(spaceId);
  }
}

function isBefore(a: Share, b: Share): boolean {
  return a.running === b.running ? a.used < b.used : a.running < b.running;
}

function newShare(others: ReadonlyMap<string, Share>): Share {
  const used = others.size === 0 ? 0 : Math.min(...[...others.values()].map((share) => share.used));
  return { running: 0, used };
}

function once(action: (took: Millis) => void): (took: Millis) => void {
  let done = false;
  return (took) => {
    if (!done) action(took);
    done = true;
  };
}
