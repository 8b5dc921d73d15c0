import { expect, it } from 'vitest';
import { SharedTexts } from '../../../src/cloud/store/memory/shared-texts.js';

it('texts are returned unchanged, even if there are more different texts than SharedTexts keeps', () => {
  const texts = new SharedTexts();
  for (let i = 0; i < 3000; i++) expect(texts.of(`text ${i % 1500}`)).toBe(`text ${i % 1500}`);
});
