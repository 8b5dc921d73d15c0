import { describe, expect, it } from 'vitest';
import { readImage } from '../../src/protocol/firmware-image.js';
import { ghostfleet } from '../support/host.js';

describe('ghostfleet image', () => {
  it('prints the body of an upload', async () => {
    const { exit, out } = await ghostfleet(['image', 'clime', '--fw-version', 'v9.0.0', '--size', '2000']);
    expect(exit).toBe(0);
    const content = Buffer.from(JSON.parse(out).data, 'base64');
    expect(content).toHaveLength(2000);
    expect(readImage(content)).toEqual({
      bundle: 'com.hardwario.chester.app.clime',
      name: 'CHESTER Clime',
      version: 'v9.0.0',
    });
  });

  it.each([
    [['klime', '--fw-version', 'v1'], 'unknown profile "klime"'],
    [['clime'], 'fw-version'],
    [['clime', '--fw-version', 'a b'], '--fw-version "a b" is not a version of 1 to 47 characters'],
    [['clime', '--fw-version', 'v1', '--size', '10'], '--size "10" is not a whole number from 512 to 786000'],
  ])('rejects %j', async (args, complaint) => {
    const { exit, err } = await ghostfleet(['image', ...args]);
    expect(exit).toBe(2);
    expect(err).toContain(complaint);
  });
});
