import { printedWithoutSecrets, withoutSecrets } from '../../profile/secrets.js';
import { line } from '../values/shell-lines.js';
import type { StepKind } from './step.js';

/** Runs a line on the local shell of the device, as over a cable. */
export const shell: StepKind<string> = {
  about: 'runs a line on the local shell of the device; a negative result is a failed step',
  example: 'shell: sample',
  check: line,
  describe: withoutSecrets,
  run: async (_world, device, text) => {
    const { result, lines } = device.shell(text);
    if (result >= 0) return;
    const [first] = printedWithoutSecrets(text, result, lines);
    throw new Error(`"${withoutSecrets(text)}" returned ${result}${first === undefined ? '' : `: ${first}`}`);
  },
};
