import { expect, it } from 'vitest';
import { SharedTexts } from '../../../src/cloud/store/memory/shared-texts.js';

it('texts come back as they are, also when more of them are different than are remembered', () => {
  const texts = new SharedTexts();
  for (let i = 0; i < 3000; i++) expect(texts.of(`text ${i % 1500}`)).toBe(`text ${i % 1500}`);
});
