/** What open requests have in use of their limits. What a request has taken, it gives back exactly once: when it ends. */
import type { IncomingMessage } from 'node:http';

/** Maximum number of concurrent requests, and of bytes in their bodies. */
interface Load {
  readonly requests: number;
  readonly bytes: number;
}

/** Limits for all callers of a kind together, and for each. */
export interface Share {
  readonly all: Load;
  readonly each: Load;
}

/** The callers with open requests, and how much of their share is in use. */
export class Callers {
  readonly #share: Share;
  readonly #total: Level;
  readonly #each = new Map<string, Level>();

  constructor(share: Share) {
    this.#share = share;
    this.#total = new Level(share.all);
  }

  enter(caller: string): Usage {
    const own = this.#each.get(caller) ?? new Level(this.#share.each);
    this.#each.set(caller, own);
    return new Usage([this.#total, own], () => {
      if (own.isIdle) this.#each.delete(caller);
    });
  }
}

/** How much of a limit is in use. */
class Level {
  requests = 0;
  bytes = 0;
  readonly #most: Load;

  constructor(most: Load) {
    this.#most = most;
  }

  get isIdle(): boolean {
    return this.requests === 0;
  }

  get isTooMuch(): boolean {
    return this.requests > this.#most.requests || this.bytes > this.#most.bytes;
  }
}

/** The share of one request in the limits. */
export class Usage {
  readonly #levels: readonly Level[];
  readonly #ended: () => void;
  /** Received bytes of the body. */
  bytes = 0;
  #isOver = false;
  #stopCounting = () => {};

  /** @param ended called when the request no longer counts */
  constructor(levels: readonly Level[], ended: () => void) {
    this.#levels = levels;
    this.#ended = ended;
    for (const level of levels) level.requests++;
  }

  get isTooMuch(): boolean {
    return this.#levels.some((level) => level.isTooMuch);
  }

  /**
   * Counts the bytes of a body as they arrive, until the request ends: what arrives after the answer is discarded.
   * @param overloaded the error for the reader of the body when a limit is passed
   */
  charge(body: IncomingMessage, overloaded: () => Error): void {
    if (this.#isOver) return;
    const count = ({ length }: Buffer) => {
      this.bytes += length;
      for (const level of this.#levels) level.bytes += length;
      if (!this.isTooMuch) return;
      this.#stopCounting();
      // The parser of the framework answers with the status of this error and closes the connection. Without a reader, the
      // event would end the process.
      if (body.listenerCount('error') > 0) body.emit('error', overloaded());
      else body.destroy();
    };
    this.#stopCounting = () => body.off('data', count);
    body.on('data', count);
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#stopCounting();
    for (const level of this.#levels) {
      level.requests--;
      level.bytes -= this.bytes;
    }
    this.#ended();
  }
}
