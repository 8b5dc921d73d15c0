/** The changes that the dialogs of the administration send. */
import { expect, it } from 'vitest';
import { changesOf, edited } from '../../web/src/pages/administration/changes.js';

it('the changes are the fields that the user has changed; without changed fields, they are undefined', () => {
  const shown = { id: 't1', name: 'cold', color: '#3377bb', comment: null };
  expect(changesOf({ name: 'cold', color: '#000000' }, shown)).toEqual({ color: '#000000' });
  expect(changesOf({ name: 'cold', comment: null }, shown)).toBeUndefined();
});

it('a text in a dialog that the user has not changed keeps its line ends', () => {
  expect(edited('a\nb', 'a\r\nb')).toBe('a\r\nb');
  expect(edited('a\nc', 'a\r\nb')).toBe('a\nc');
  expect(edited('a', null)).toBe('a');
});
