/** Texts that the browser keeps for the page, or refuses to keep. */
import { afterEach, expect, it, vi } from 'vitest';
import { ofBrowser, ofTab } from '../../web/src/platform/storage.js';

const refuse = (name: string) => () => {
  throw new DOMException('refused', name);
};

afterEach(() => {
  vi.unstubAllGlobals();
});

it('a text is kept in the page if site data is blocked', () => {
  for (const name of ['localStorage', 'sessionStorage']) {
    Object.defineProperty(globalThis, name, { configurable: true, get: refuse('SecurityError') });
  }
  for (const kept of [ofBrowser, ofTab]) {
    expect(kept.get('a')).toBeUndefined();
    kept.set('a', 'one');
    expect(kept.get('a')).toBe('one');
    kept.set('a', undefined);
    expect(kept.get('a')).toBeUndefined();
  }
  for (const name of ['localStorage', 'sessionStorage']) Reflect.deleteProperty(globalThis, name);
});

it('a text that a full storage refuses is newer than the stored one, until the storage takes one again', () => {
  const texts = new Map([['a', 'old']]);
  const setItem = vi.fn(refuse('QuotaExceededError'));
  vi.stubGlobal('localStorage', { getItem: (key: string) => texts.get(key) ?? null, setItem });
  ofBrowser.set('a', 'new');
  expect(ofBrowser.get('a')).toBe('new');
  setItem.mockImplementation(((key: string, text: string) => void texts.set(key, text)) as () => never);
  ofBrowser.set('a', 'newest');
  expect([ofBrowser.get('a'), texts.get('a')]).toEqual(['newest', 'newest']);
});

it('a browser without a storage keeps texts until the page is closed', () => {
  vi.stubGlobal('localStorage', null);
  ofBrowser.set('b', 'one');
  expect(ofBrowser.get('b')).toBe('one');
});
