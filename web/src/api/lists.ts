/** Lists of the service, which come in pages. */

/** The largest page of the API. */
const PAGE = 500;

/** The most items of a list that a page shows; {@link readAll} reads no more. */
export const MOST_ITEMS = 5000;

interface Place {
  readonly limit: number;
  readonly offset?: string;
}

/** All items of a list. @param read reads a page: the items after the one with the id `offset` */
export async function readAll<T extends { readonly id: string }>(
  read: (place: Place) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all: T[] = [];
  for (;;) {
    const last = all.at(-1);
    const page = await read({ limit: PAGE, ...(last && { offset: last.id }) });
    all.push(...page);
    if (page.length < PAGE || all.length >= MOST_ITEMS) return all;
  }
}
