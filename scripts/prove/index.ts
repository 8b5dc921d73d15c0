/** `npm run prove [-- name…]`: checks what a report promises, one verdict a line; fails if a promise does not hold. */

import { type Proof, runByName } from '../support/proof.js';
import { accounting } from './accounting.js';
import { capacityProof } from './capacity.js';
import { compareProof } from './compare.js';
import { determinism } from './determinism.js';
import { distributed } from './distributed.js';
import { explain } from './explain/index.js';
import { library } from './library.js';
import { prediction } from './prediction.js';
import { saturation } from './saturation.js';
import { shapes } from './shapes.js';
import { stall } from './stall.js';
import { wire } from './wire.js';
import { workers } from './workers.js';

const PROOFS: readonly Proof[] = [
  stall,
  accounting,
  saturation,
  shapes,
  prediction,
  explain,
  determinism,
  workers,
  distributed,
  library,
  capacityProof,
  compareProof,
  wire,
];

await runByName('proof', PROOFS);
