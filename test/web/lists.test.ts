/** Lists that the console reads page by page. */
import { expect, it } from 'vitest';
import { MOST_ITEMS, readAll } from '../../web/src/api/lists.js';

/** A service with `count` items, whose pages begin after the item `offset`. */
function serving(count: number) {
  const asked: (string | undefined)[] = [];
  const read = async ({ limit, offset }: { readonly limit: number; readonly offset?: string }) => {
    asked.push(offset);
    const begin = offset === undefined ? 0 : Number(offset) + 1;
    return Array.from({ length: Math.min(limit, count - begin) }, (_, i) => ({ id: String(begin + i) }));
  };
  return { asked, read };
}

it.each([
  [0, [undefined]],
  [499, [undefined]],
  [500, [undefined, '499']],
  [1201, [undefined, '499', '999']],
])('a list of %i items is read to its end', async (count, pages) => {
  const { asked, read } = serving(count);
  const items = await readAll(read);
  expect(items.map(({ id }) => Number(id))).toEqual(Array.from({ length: count }, (_, i) => i));
  expect(asked).toEqual(pages);
});

it('of a very long list, a page shows the first items', async () => {
  expect((await readAll(serving(100_000).read)).length).toBe(MOST_ITEMS);
});
