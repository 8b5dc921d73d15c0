/** Further tests beside api.test.ts. */
import { execFile } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { GUIDE, KEY, useService } from './api-support.js';

const service = useService();

describe('the guide to the API', () => {
  describe('has examples', () => {
    let hasCurl = false;
    beforeAll(async () => {
      hasCurl = (await shell('curl --version')).code === 0;
    });

    it('that work, one after another', async ({ skip }) => {
      if (!hasCurl) skip('this machine has no bash with curl');
      const { api, spaceId } = service();
      const blocks = [...GUIDE.matchAll(/^```sh\n(.*?)^```/gms)].map(([, code]) => code);
      expect(blocks.length).toBeGreaterThan(8);
      const script = ['set -eux -o pipefail', ...blocks].join('\n');
      const { code, err } = await shell(script, { API: api, KEY, SPACE: spaceId });
      // The end of the error output shows the command that failed.
      expect([code, code === 0 ? '' : err.slice(-1500)]).toEqual([0, '']);
    });
  });
});

function shell(script: string, env: Readonly<Record<string, string>> = {}): Promise<{ code: number; err: string }> {
  return new Promise((resolve) => {
    const child = execFile('bash', ['-s'], { env: { ...process.env, ...env } }, (error, _, err) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? 1) || 1, err });
    });
    child.stdin?.on('error', () => {});
    child.stdin?.end(script);
  });
}
