import { line } from '../shell-lines.js';
import type { StepKind } from './step.js';

/** Types a line on the device's local shell, as somebody with a cable would. */
export const shell: StepKind<string> = {
  about: 'runs a line on the local shell of the device; an answer other than 0 is a failed step',
  example: 'shell: sample',
  check: line,
  describe: (text) => text,
  run: async (_world, device, text) => {
    const { result, lines } = device.shell(text);
    if (result < 0) throw new Error(`"${text}" returned ${result}${lines[0] === undefined ? '' : `: ${lines[0]}`}`);
  },
};
