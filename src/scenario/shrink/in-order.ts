/** Works on several items at the same time, and returns the results in the order of the items. */

/** At most `LEAD * (atOnce - 1)` items are begun ahead of the first unfinished: others are hardly needed. */
const LEAD = 8;

/**
 * Works on several items at the same time, and returns the results in the order of the items. So the first item with a certain
 * result is the same for every value of `atOnce`.
 *
 * @param atOnce number of items that are worked on at the same time
 * @param work works on one item. Its signal aborts when the caller takes no further results, because the result is not
 * needed then
 */
export async function* inOrder<T, R>(
  items: Iterable<T>,
  atOnce: number,
  work: (item: T, signal: AbortSignal) => Promise<R>,
): AsyncGenerator<readonly [T, R]> {
  const remaining = items[Symbol.iterator]();
  const ending = new AbortController();
  const begun: { readonly item: T; readonly result: Promise<R> }[] = [];
  const most = 1 + LEAD * (atOnce - 1);
  let running = 0;
  const begin = (): void => {
    while (running < atOnce && begun.length < most && !ending.signal.aborted) {
      const { done, value } = remaining.next();
      if (done) return;
      running++;
      const result = work(value, ending.signal).finally(() => {
        running--;
        begin();
      });
      // The caller gets the error of an item when it takes the result. Errors of results that are not taken are ignored.
      result.catch(() => {});
      begun.push({ item: value, result });
    }
  };
  try {
    for (;;) {
      begin();
      const [first] = begun;
      if (first === undefined) return;
      const result = await first.result;
      begun.shift();
      yield [first.item, result];
    }
  } finally {
    ending.abort();
  }
}
