/** The tabs of the page of scenarios. */
import { describe, expect, it } from 'vitest';
import { Drafts, draftName, FIRST, type Texts } from '../../web/src/model/drafts.js';

/** A browser, in which each call opens a window, or loads the window again whose storage is passed. */
function browser() {
  const [texts, store] = storage();
  let count = 0;
  return { open: (tab = storage()[1]) => new Drafts(store, tab, () => `d${++count}`), texts };
}

function storage(): readonly [texts: Map<string, string>, store: Texts] {
  const texts = new Map<string, string>();
  const set = (key: string, text: string | undefined) =>
    void (text === undefined ? texts.delete(key) : texts.set(key, text));
  return [texts, { get: (key) => texts.get(key), set }];
}

const names = ({ all }: Drafts) => all.value.map(({ text }) => draftName(text));

describe('the drafts of scenarios', () => {
  it('begin with a small scenario, and an example opens in a tab of its own', () => {
    const drafts = browser().open();
    drafts.change(drafts.shown.value, 'name: my-work');
    drafts.open('name: boot-storm');
    expect([names(drafts), drafts.text]).toEqual([['my-work', 'boot-storm'], 'name: boot-storm']);
    drafts.open('name: my-work');
    expect([names(drafts), drafts.text]).toEqual([['my-work', 'boot-storm'], 'name: my-work']);
  });

  it('can be opened again after they were closed, also the last one', () => {
    const drafts = browser().open();
    drafts.change(drafts.shown.value, 'name: my-work');
    drafts.close(drafts.shown.value);
    expect(drafts.text).toBe(FIRST);
    drafts.reopen();
    expect([drafts.text, drafts.closed.value, names(drafts)]).toEqual([
      'name: my-work',
      undefined,
      ['mine', 'my-work'],
    ]);
  });

  it('are there at the next visit, and a window does not remove those of another', () => {
    const { open } = browser();
    const [one, two] = [open(), open()];
    one.open('name: one');
    two.open('name: two');
    one.change(one.shown.value, 'name: one-more');
    expect(names(open())).toEqual(['mine', 'one-more', 'two']);
    one.close(one.shown.value);
    expect([names(one), names(open())]).toEqual([
      ['mine', 'two'],
      ['mine', 'two'],
    ]);
  });

  it('that two windows change are not overwritten: the second window chooses', () => {
    const { open } = browser();
    const [one, two] = [open(), open()];
    const { value: id } = one.shown;
    one.change(id, 'name: one');
    two.change(id, 'name: two');
    expect([two.text, two.others.value.get(id), names(open())]).toEqual(['name: two', 'name: one', ['one']]);
    two.change(id, 'name: two-more');
    two.open('name: third');
    expect([names(two), names(open())]).toEqual([
      ['two-more', 'third'],
      ['one', 'third'],
    ]);
    two.keepOwn(id);
    expect([two.others.value.size, names(open())]).toEqual([0, ['two-more', 'third']]);
    one.look(id);
    expect(one.others.value.get(id)).toBe('name: two-more');
    one.takeOther(id);
    expect([one.text, one.others.value.size, one.taken.value]).toEqual(['name: two-more', 0, 1]);
    one.change(id, 'name: last');
    expect(names(open())).toEqual(['last', 'third']);
  });

  it('show the chosen one again after a reload of the window, and the first one if it was closed', () => {
    const { open } = browser();
    const [, tab] = storage();
    const drafts = open(tab);
    for (const name of ['one', 'two']) drafts.open(`name: ${name}`);
    drafts.shown.value = drafts.all.value[1]?.id ?? '';
    expect([open(tab).text, open().text]).toEqual(['name: one', FIRST]);
    open().close(drafts.shown.value);
    expect(open(tab).text).toBe(FIRST);
  });

  it('are at most 20, and a damaged store is like an empty one', () => {
    const { open, texts } = browser();
    const drafts = open();
    for (let n = 1; n < 20; n++) drafts.open(`name: n${n}`);
    expect(() => drafts.open('name: more')).toThrow('at most 20 scenarios can be open');
    for (const text of ['{', '{}', '[1, {"id": 1}]']) {
      texts.set('ghostfleet.drafts', text);
      expect(names(open())).toEqual(['mine']);
    }
  });
});
