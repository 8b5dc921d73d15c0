/**
 * Merges the events of the parts of a run in real time into one stream. Each part sends its events in batches. Each batch
 * states a time; all later events of the part happen at that time or later. An event is passed on as soon as no part can
 * send an earlier one. Events of the run itself, such as those of its embedded cloud, are merged in as well.
 *
 * The events of a part stay in the order in which the part sent them. An event may have an earlier time than the event before
 * it, because times of messages come from the clock of the target. Such an event is sorted as if it had the time of the event
 * before it.
 */
import type { Instant } from '../../kernel/time.js';
import type { Trace, TraceEvent } from '../../trace/events.js';
import type { Logged } from '../parallel/messages.js';

interface OfPart extends Logged {
  /** Index of the part that sent the event; undefined for an event of the run itself. */
  readonly part: number | undefined;
}

interface Entry extends OfPart {
  /** Time by which the event is sorted. */
  readonly happened: Instant;
}

interface Source {
  waiting: Entry[];
  /** All events before this moment have arrived. */
  until: Instant;
  /** Whether the part has sent `world.closing`, or will never send it. */
  closed: boolean;
}

export class Merge {
  readonly #sources: readonly Source[];
  /** Events of the run itself that are not passed on yet. */
  readonly #own: Entry[] = [];
  /** The trace to which the run itself writes its events, in the order of their times. */
  readonly own: Trace = { emit: (event) => this.#add(event) };
  readonly #now: () => Instant;
  /** The latest `world.closing` of a part, until it is passed on. */
  #closing: OfPart | undefined;

  /** @param now time until which the run has written all its own events. Default: the run writes no events of its own */
  constructor(parts: number, now: () => Instant = () => Number.POSITIVE_INFINITY) {
    this.#now = now;
    this.#sources = Array.from({ length: parts }, () => ({ waiting: [], until: 0, closed: false }));
  }

  /** All events before this moment have arrived, and the next {@link take} returns them. */
  get complete(): Instant {
    return Math.min(this.#now(), ...this.#sources.map(({ until }) => until));
  }

  /** Adds a batch of lines, each with a line feed at its end. All later events of the part happen at `until` or later. */
  add(part: number, lines: string, until: Instant): void {
    const source = this.#of(part);
    let happened = source.until;
    for (const line of lines.split('\n')) {
      if (line === '') continue;
      // The cast is safe because the part wrote the line from an event.
      const event = JSON.parse(line) as TraceEvent;
      happened = Math.max(happened, Math.min(event.at, until));
      source.waiting.push({ event, line, part, happened });
    }
    source.until = Math.max(source.until, until);
  }

  /** Called when the part will send nothing more. */
  end(part: number): void {
    const source = this.#of(part);
    source.until = Number.POSITIVE_INFINITY;
    if (!source.waiting.some(({ event }) => event.kind === 'world.closing')) source.closed = true;
  }

  /**
   * Removes the events until {@link complete} and returns them in order. Of all `world.closing` events, only the last one is
   * passed on, after every part has sent its own or has ended.
   */
  take(): readonly OfPart[] {
    const { complete } = this;
    const due = [...this.#sources.map(({ waiting }) => waiting), this.#own].flatMap((waiting) => {
      const count = waiting.findIndex(({ happened }) => happened > complete);
      return waiting.splice(0, count < 0 ? waiting.length : count);
    });
    // The sort keeps the order within a part, because `happened` never decreases there.
    due.sort((one, other) => one.happened - other.happened);
    const result: OfPart[] = [];
    for (const { event, line, part } of due) {
      if (event.kind !== 'world.closing') result.push({ event, line, part });
      else {
        this.#closing = { event, line, part };
        if (part !== undefined) this.#of(part).closed = true;
      }
      this.#close(result);
    }
    this.#close(result);
    return result;
  }

  #add(event: TraceEvent): void {
    const happened = Math.max(event.at, this.#own.at(-1)?.happened ?? 0);
    this.#own.push({ event, line: JSON.stringify(event), part: undefined, happened });
  }

  #close(result: OfPart[]): void {
    if (this.#closing === undefined || this.#sources.some(({ closed }) => !closed)) return;
    result.push(this.#closing);
    this.#closing = undefined;
  }

  #of(part: number): Source {
    const source = this.#sources[part];
    if (source === undefined) throw new RangeError(`the run has no part ${part}`);
    return source;
  }
}
