/** A line that somebody has typed for a device: for its shell, or with a dot for the hands on it. */
import { resolve } from 'node:path';
import type { NamedText } from '../input/text-file.js';
import { printedWithoutSecrets, withoutSecrets } from '../profile/secrets.js';
import { completeBench, parseBench, runBench } from './bench.js';
import { FAILED } from './grouping.js';
import type { Answer, Member } from './member.js';

export interface LineOptions {
  /** Shows claim tokens, keys and passwords as they are. */
  readonly secrets: boolean;
  /** Where relative paths begin. */
  readonly folder: string;
  /** @throws Error that says why it cannot be read */
  readonly readText: (path: string) => string;
  /** Told what was done, without secrets. */
  readonly noted: (action: string) => void;
}

/** Carries a line out and hands over what is printed, part by part, until one has no `more`. Never throws. */
export async function carryOut(
  member: Member,
  line: string,
  options: LineOptions,
  answer: (part: Answer) => void,
): Promise<void> {
  const show = (part: Answer): void =>
    answer(options.secrets ? part : { ...part, lines: printedWithoutSecrets(line, part.code, part.lines) });
  try {
    if (!isBench(line)) {
      const printed = member.shell(line, show);
      options.noted(withoutSecrets(line));
      return show(printed);
    }
    const bench = parseBench(line, member.type, (path) => fileAt(path, options));
    await runBench(bench, member);
    options.noted(bench.described);
    show({ code: 0, lines: [bench.described], more: false });
  } catch (error) {
    show({ code: FAILED, lines: [error instanceof Error ? error.message : String(error)], more: false });
  }
}

/** What may stand in place of the last word. */
export function completions(member: Member, line: string): readonly string[] {
  return isBench(line) ? completeBench(line, member.type) : member.complete(line);
}

function isBench(line: string): boolean {
  return line.trimStart().startsWith('.');
}

function fileAt(path: string, { folder, readText }: LineOptions): NamedText {
  return { file: path, text: readText(resolve(folder, path)) };
}
