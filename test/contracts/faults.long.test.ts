/** A run with each kind of faults differs from the same run without it. */
import { describe, expect, it } from 'vitest';
import { run } from '../../src/index.js';
import { FAULT_NAMES, FAULTS } from '../../src/scenario/faults/index.js';
import type { FaultKind } from '../../src/scenario/faults/kind.js';
import { planWith } from './fault-plan.js';

const calm = run(planWith(''));

describe.each(FAULT_NAMES)('the fault %s', (name) => {
  const kind = FAULTS[name] as Pick<FaultKind<never>, Exclude<keyof FaultKind<never>, 'check'>>;
  const { part, example } = kind;

  it('changes what happens in a run', async () => {
    const { digest, anomalies } = await run(planWith(`{ ${example}, from: 20m }`));
    expect(digest).not.toBe((await calm).digest);
    if (part !== 'device') return;
    // A device without the part would only show that the step of the fault failed.
    const failed = anomalies.filter((one) => one.name === 'step-failed');
    expect(failed, 'use a device type that has the part').toEqual([]);
  });
});
