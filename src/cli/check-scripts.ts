/** Checks the scripts of a scenario's connectors as the cloud does when a connector is created. */
import { InputError } from '../input/problems.js';
import { RealClock } from '../kernel/real-clock.js';
import type { Plan } from '../scenario/model/plan.js';

/**
 * Runs the top level of each script in the cloud's sandbox, which is loaded only for a scenario with a connector.
 * @param file path of the scenario, for messages @throws InputError with the problems of all scripts
 */
export async function checkScripts({ setup = [], start }: Plan, file: string): Promise<void> {
  const connectors = setup.flatMap((call) => (call.setup === 'connector' ? [call.options] : []));
  if (connectors.length === 0) return;
  const { Sandbox } = await import('../cloud/connectors/sandbox/sandbox.js');
  const sandbox = new Sandbox(new RealClock());
  try {
    const own = { spaceId: '', owner: { tenant: '', part: '' }, now: start, seed: 1 };
    const results = await Promise.all(connectors.map(({ script }) => sandbox.run({ ...own, source: script })));
    const problems = results.flatMap((result, index) => {
      if (result.kind === 'value') return [];
      const message = `the script of connector "${connectors[index]?.name}" is not valid: ${result.why}`;
      return { file, line: 0, column: 0, message };
    });
    if (problems.length > 0) throw new InputError(problems);
  } finally {
    await sandbox.close();
  }
}
