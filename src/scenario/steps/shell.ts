import { printedWithoutSecrets, withoutSecrets } from '../../kernel/shell-secrets.js';
import { sentLine } from '../values/sending.js';
import { typedLine } from '../values/shell-lines.js';
import { RESTARTS, type StepKind } from './step.js';

/** Runs a line on the local shell of the device, as over a cable. */
export const shell: StepKind<string> = {
  about: 'runs a line on the local shell of the device; a negative result or a rejected line is a failed step',
  example: 'shell: sample',
  check: sentLine(typedLine),
  describe: withoutSecrets,
  actsOn: 'settings',
  effect: () => RESTARTS,
  beforeStart: () => 0,
  run: async (_world, device, text) => {
    const { code, rejected, lines } = device.shell(text);
    if (code >= 0 && !rejected) return;
    const [first] = printedWithoutSecrets(text, code, lines);
    const outcome = code < 0 ? `returned ${code}` : 'was rejected';
    throw new Error(`"${withoutSecrets(text)}" ${outcome}${first === undefined ? '' : `: ${first.trim()}`}`);
  },
};
