/**
 * Merges the events of the parts of a run into one stream. Each part sends its events in batches. Each batch states a time; all
 * later events of the part happen at that time or later. An event is passed on as soon as no part can send an earlier one.
 * Events of the run itself, such as those of its embedded cloud, are merged in as well.
 *
 * The events of a part stay in the order in which the part sent them. An event may have an earlier time than the event before
 * it, because times of messages come from the clock of the target. Such an event is sorted as if it had the time of the event
 * before it. In virtual time, the journal then sorts the events of each instant by device, as those of an undivided run.
 */
import type { Instant } from '../../kernel/time.js';
import type { Trace, TraceEvent } from '../../trace/events.js';

/** An event with its line of the event log, without the line feed. */
interface OfPart {
  readonly event: TraceEvent;
  readonly line: string;
  /** Index of the part that sent the event; undefined for an event of the run itself. */
  readonly part: number | undefined;
}

interface Entry extends OfPart {
  /** Time by which the event is sorted. */
  readonly happened: Instant;
  /** Whether its part had sent `world.closing` before. */
  readonly isAfterClosing: boolean;
}

/** Lines of a part. The events are parsed only when they are due: parsed ones that wait would cost much garbage collection. */
interface Batch {
  readonly lines: string;
  /** All its events happen at this moment or later. */
  readonly from: Instant;
  readonly until: Instant;
}

interface Source {
  readonly batches: Batch[];
  readonly waiting: Entry[];
  /** All events before this moment have arrived. */
  until: Instant;
  /** Whether `world.closing` of the part has been parsed. */
  isClosing: boolean;
  /** Whether `world.closing` of the part has been merged, or will never come. */
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
    this.#sources = Array.from({ length: parts }, () => ({
      batches: [],
      waiting: [],
      until: 0,
      isClosing: false,
      closed: false,
    }));
  }

  /** All events before this moment have arrived, and the next {@link take} returns them. */
  get complete(): Instant {
    return Math.min(this.#now(), ...this.#sources.map(({ until }) => until));
  }

  /** Adds a batch of lines, each with a line feed at its end. All later events of the part happen at `until` or later. */
  add(part: number, lines: string, until: Instant): void {
    const source = this.#of(part);
    if (lines !== '') source.batches.push({ lines, from: source.until, until });
    source.until = Math.max(source.until, until);
  }

  /** Called when the part will send nothing more. */
  end(part: number): void {
    const source = this.#of(part);
    source.until = Number.POSITIVE_INFINITY;
    this.#parse(part, source.until);
    if (!source.waiting.some(({ event }) => event.kind === 'world.closing')) source.closed = true;
  }

  /**
   * Removes the events until {@link complete} and returns them in order. Of all `world.closing` events, only the last one is
   * passed on, after every part has sent its own or has ended. If several parts have deleted old messages at the same time, one
   * event has the sum.
   */
  take(): readonly OfPart[] {
    const { complete } = this;
    for (const part of this.#sources.keys()) this.#parse(part, complete);
    const due = [...this.#sources.map(({ waiting }) => waiting), this.#own].flatMap((waiting) => {
      const count = waiting.findIndex(({ happened }) => happened > complete);
      return waiting.splice(0, count < 0 ? waiting.length : count);
    });
    // The sort keeps the order within a part, because neither value ever decreases there.
    due.sort(
      (one, other) => one.happened - other.happened || Number(one.isAfterClosing) - Number(other.isAfterClosing),
    );
    const result: OfPart[] = [];
    /** Index of the last `cloud.pruned` in the result. */
    let pruned = -1;
    for (const { event, line, part } of due) {
      const last = result[pruned]?.event;
      if (event.kind === 'world.closing') {
        this.#closing = { event, line, part };
        if (part !== undefined) this.#of(part).closed = true;
      } else if (event.kind === 'cloud.pruned' && last?.kind === event.kind && last.at === event.at) {
        const sum = { ...event, messages: last.messages + event.messages };
        result[pruned] = { event: sum, line: JSON.stringify(sum), part };
      } else {
        if (event.kind === 'cloud.pruned') pruned = result.length;
        result.push({ event, line, part });
      }
      this.#close(result);
    }
    this.#close(result);
    return result;
  }

  /** Parses the batches that may have events before this moment. */
  #parse(part: number, before: Instant): void {
    const source = this.#of(part);
    for (;;) {
      const [batch] = source.batches;
      if (batch === undefined || batch.from >= before) return;
      source.batches.shift();
      let happened = batch.from;
      for (const line of batch.lines.split('\n')) {
        if (line === '') continue;
        // The cast is safe because the part wrote the line from an event.
        const event = JSON.parse(line) as TraceEvent;
        happened = Math.max(happened, Math.min(event.at, batch.until));
        source.waiting.push({ event, line, part, happened, isAfterClosing: source.isClosing });
        if (event.kind === 'world.closing') source.isClosing = true;
      }
    }
  }

  #add(event: TraceEvent): void {
    const happened = Math.max(event.at, this.#own.at(-1)?.happened ?? 0);
    this.#own.push({ event, line: JSON.stringify(event), part: undefined, happened, isAfterClosing: false });
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
