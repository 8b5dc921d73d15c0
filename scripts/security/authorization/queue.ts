/**
 * The authorization matrix of the queue of divided runs: every place of a task or message × everything that a writer of the queue
 * could put there. Only what the owner of the API key has sealed for exactly this place is read.
 */
import type { Side } from '../../../src/runner/divided/queue/schema.js';
import { messagePlace, seal, taskPlace, unseal } from '../../../src/runner/divided/queue/sealed.js';
import type { MatrixVerdict } from './matrix.js';

const KEYS = ['the key of the target', 'another key', ''];
const RUNS = ['01234567-89ab-4def-8123-456789abcdef', '11234567-89ab-4def-8123-456789abcdef'];
const PARTS = [1, 2, 11];
const NUMBERS = [1, 2, 11];
const SIDES: readonly Side[] = ['run', 'part'];

export function queueMatrix(): MatrixVerdict {
  const parts = RUNS.flatMap((run) => PARTS.map((part) => [run, part] as const));
  const messages = parts.flatMap(([run, part]) =>
    SIDES.flatMap((from) => NUMBERS.map((number) => messagePlace(run, part, from, number))),
  );
  const places = [...parts.map(([run, part]) => taskPlace(run, part)), ...messages];
  const failures: string[] = [];
  let checks = 0;
  const expect = (isTrue: boolean, what: string) => {
    checks += 1;
    if (!isTrue) failures.push(what);
  };
  const [own = ''] = KEYS;
  for (const [n, from] of places.entries()) {
    for (const key of KEYS) {
      const sealed = seal({ n }, key, from);
      for (const place of places) {
        const isRead = unseal(sealed, own, place) !== undefined;
        expect(isRead === (key === own && place === from), `sealed with "${key}" for ${from}, read at ${place}`);
      }
    }
    for (const at of [0, 13, 40]) {
      const changed = Buffer.from(seal({ n }, own, from));
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(unseal(changed, own, from) === undefined, `changed at byte ${at} for ${from}`);
      expect(unseal(changed.subarray(0, at), own, from) === undefined, `cut at byte ${at} for ${from}`);
    }
  }
  return { operations: places.length, credentials: KEYS.length, requests: places.length ** 2, checks, failures };
}
