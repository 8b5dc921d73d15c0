/** `npm run prove [-- name…]`: checks what a report promises, one verdict a line; fails if a promise does not hold. */
import { accounting } from './accounting.js';
import { determinism } from './determinism.js';
import { explain } from './explain/index.js';
import { prediction } from './prediction.js';
import type { Proof } from './proof.js';
import { saturation } from './saturation.js';
import { shapes } from './shapes.js';
import { stall } from './stall.js';
import { workers } from './workers.js';

const PROOFS: readonly Proof[] = [stall, accounting, saturation, shapes, prediction, explain, determinism, workers];

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !PROOFS.some((proof) => proof.name === name));
if (unknown.length > 0) {
  console.error(`unknown proof "${unknown.join('", "')}"; expected ${PROOFS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}

for (const proof of PROOFS) {
  if (wanted.length > 0 && !wanted.includes(proof.name)) continue;
  for (const { what, held, detail } of await proof.run()) {
    if (!held) process.exitCode = 1;
    console.log(`${held ? 'ok  ' : 'FAIL'} ${what} · ${detail}`);
  }
}
