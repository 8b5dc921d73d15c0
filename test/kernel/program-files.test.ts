import { expect, it } from 'vitest';
import { isProgramReplaced } from '../../src/kernel/program-files.js';

it('notices that a module of the program was removed from disk', () => {
  expect(isProgramReplaced()).toBe(false);
  expect(isProgramReplaced(new URL('./chunk-of-an-earlier-build.mjs', import.meta.url).href)).toBe(true);
});

it('does not judge modules that are not files, as in a bundle of a test runner', () => {
  expect(isProgramReplaced('data:text/javascript,0')).toBe(false);
});
