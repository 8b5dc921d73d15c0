/** Handles the lines that the user types, one after the other. */

/** Whether to read further lines after a line. */
export type AfterLine = 'leave' | 'stay';

/**
 * Passes each line to `handle` until the input ends, `handle` returns `leave`, or `ended` resolves.
 * @returns true if the input ended or `handle` returned `leave`; false if `ended` resolved first
 * @throws the error of `ended` if it rejects first
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
    // Without this call, an open pipe keeps the process alive. The promise is not awaited: it resolves after the next line.
    void iterator.return?.();
  }
}
