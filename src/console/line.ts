/** Executes a line of a console on one device: a control command if it begins with a dot, otherwise a shell command. */

import type { NamedText } from '../input/text-file.js';
import { messageOf } from '../kernel/errors.js';
import { printedWithoutSecrets, withoutSecrets } from '../kernel/shell-secrets.js';
import { ENOMEM } from '../protocol/errno.js';
import type { StepCall } from '../scenario/steps/index.js';
import { completeControls, parseControl, runControl } from './control-line.js';
import { FAILED } from './grouping.js';
import type { Answer, Member } from './member.js';

export interface LineOptions {
  /** Whether to show claim tokens, keys and passwords as they are. */
  readonly secrets: boolean;
  /** Reads a file that the line names. @throws Error with the reason */
  readonly readFile: (path: string) => NamedText;
  /** Called with a description of the executed action, without secrets. `call`: the step of a control command. */
  readonly noted: (action: string, call?: StepCall) => void;
}

const UNUSED = 'the device does not use its battery while the power line supplies it; ".line-power off" cuts the line';

/** The shell prints nothing for such a line (shell S-2), so the program says it. */
export const LINE_TOO_LONG = 'the line has more than 255 characters; a device does not execute it';

/** Executes a line. `answer` gets the output in parts, the last with `more: false`, and errors with {@link FAILED}. */
export async function carryOut(
  member: Member,
  line: string,
  options: LineOptions,
  answer: (part: Answer) => void,
): Promise<void> {
  const show = ({ code, lines, more }: Answer): void =>
    answer({ code, lines: options.secrets ? lines : printedWithoutSecrets(line, code, lines), more });
  try {
    if (!isControl(line)) {
      const printed = member.shell(line, show);
      if (printed.code === ENOMEM) throw new Error(LINE_TOO_LONG);
      options.noted(withoutSecrets(line));
      return show(printed);
    }
    const control = parseControl(line, member.type, options.readFile);
    await runControl(control, member);
    options.noted(control.described, control.call);
    const { call } = control;
    const isUnused = call.step === 'battery' && call.options.kind !== 'new' && member.controls.isSupplied;
    show({ code: 0, lines: [control.described, ...(isUnused ? [UNUSED] : [])], more: false });
  } catch (error) {
    show({ code: FAILED, lines: [messageOf(error)], more: false });
  }
}

/** Completions of the last word. */
export function completions(member: Member, line: string): readonly string[] {
  return isControl(line) ? completeControls(line, member.type) : member.complete(line);
}

function isControl(line: string): boolean {
  return line.trimStart().startsWith('.');
}
