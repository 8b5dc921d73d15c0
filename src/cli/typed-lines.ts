/** Lines that the user types, taken one after the other for as long as there is something to type them for. */

/** What is to be done after a line. */
export type AfterLine = 'leave' | 'stay';

/**
 * Hands each line to `handle`, until there are no more, `handle` says so, or `ended` settles.
 * @returns whether the user has left: false when `ended` came first
 */
export async function takeLines(
  lines: AsyncIterable<string>,
  ended: Promise<unknown>,
  handle: (line: string) => Promise<AfterLine>,
): Promise<boolean> {
  const iterator = lines[Symbol.asyncIterator]();
  const over = ended.then(() => 'over' as const);
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), over]);
      if (next === 'over') return false;
      if (next.done) return true;
      const outcome = await Promise.race([handle(next.value), over]);
      if (outcome === 'leave') return true;
      if (outcome === 'over') return false;
    }
  } finally {
    // Else a pipe that stays open keeps the process alive. Not awaited: it may come behind a line that never does.
    void iterator.return?.();
  }
}
