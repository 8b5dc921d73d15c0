import { printedWithoutSecrets, withoutSecrets } from '../../profile/secrets.js';
import { line } from '../values/shell-lines.js';
import type { StepKind } from './step.js';

/** Types a line on the device's local shell, as over its cable. */
export const shell: StepKind<string> = {
  about: 'runs a line on the local shell of the device; an answer other than 0 is a failed step',
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
