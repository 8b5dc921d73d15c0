/**
 * Reads a Dockerfile: the instructions that the Dockerfile of this project uses, in their simple forms. Other instructions are
 * an error.
 */

export interface Stage {
  /** Name after AS; the last stage may have none. */
  readonly name: string | undefined;
  readonly image: string;
  readonly steps: readonly Step[];
}

export type Step =
  | { readonly kind: 'workdir'; readonly path: string }
  | {
      readonly kind: 'copy';
      readonly from: string | undefined;
      readonly sources: readonly string[];
      readonly to: string;
    }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'env'; readonly name: string; readonly value: string }
  | { readonly kind: 'user'; readonly uid: number; readonly gid: number }
  | { readonly kind: 'entrypoint'; readonly words: readonly string[] }
  /** An instruction without an effect in this check, because it needs a container engine. */
  | { readonly kind: 'expose' | 'cmd' };

/** @throws Error for an unknown instruction, and for an instruction in an unknown form: `COPY --chown=1000 src dist` */
export function readDockerfile(text: string): readonly Stage[] {
  const stages: { name: string | undefined; image: string; steps: Step[] }[] = [];
  for (const line of text.replace(/\\\n/g, ' ').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, word = '', rest = ''] = /^([A-Z]+) +(.*?) *$/.exec(line) ?? [];
    if (word === 'FROM') {
      const [, image, name] = /^([^\s-]\S*)(?: +AS +(\S+))?$/.exec(rest) ?? [];
      if (image === undefined) throw notUnderstood(line, 'FROM image, or FROM image AS name');
      stages.push({ name, image, steps: [] });
      continue;
    }
    const step = stepOf(word, rest);
    if (step === undefined) throw notUnderstood(line, FORMS[word] ?? `one of FROM, ${Object.keys(FORMS).join(', ')}`);
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`Dockerfile: "${line}" stands before the first FROM`);
    stage.steps.push(step);
  }
  return stages;
}

/** The known form of each instruction within a stage. */
const FORMS: Readonly<Record<string, string>> = {
  WORKDIR: 'WORKDIR path',
  COPY: 'COPY source… target, or COPY --from=stage source… target',
  RUN: 'RUN command',
  ENV: 'ENV NAME=value',
  USER: 'USER uid:gid, two numbers',
  ENTRYPOINT: 'ENTRYPOINT ["word", …]',
  EXPOSE: 'EXPOSE port…',
  CMD: 'CMD ["word", …]',
};

function notUnderstood(line: string, expected: string): Error {
  return new Error(`Dockerfile: this check does not understand "${line}"; expected ${expected}`);
}

function stepOf(word: string, rest: string): Step | undefined {
  switch (word) {
    case 'WORKDIR':
      return { kind: 'workdir', path: rest };
    case 'COPY': {
      // Options other than --from, the form with a list in brackets, here-documents and patterns are not supported.
      const [, from, list] = /^(?:--from=(\S+) +)?([^\s"<*?[\]-][^"<*?[\]]*)$/.exec(rest) ?? [];
      const paths = list?.split(/ +/) ?? [];
      const to = paths.pop();
      return to === undefined || paths.length === 0 ? undefined : { kind: 'copy', from, sources: paths, to };
    }
    case 'RUN':
      return /^(?:--|\[|.*<<)/.test(rest) ? undefined : { kind: 'run', command: rest };
    case 'ENV': {
      const [, name = '', value = ''] = /^(\w+)=(\S+)$/.exec(rest) ?? [];
      return name === '' ? undefined : { kind: 'env', name, value };
    }
    case 'USER': {
      const [, uid, gid] = /^(\d+):(\d+)$/.exec(rest) ?? [];
      // The name of a user has no meaning outside of the image.
      return uid === undefined ? undefined : { kind: 'user', uid: Number(uid), gid: Number(gid) };
    }
    case 'ENTRYPOINT':
      return /^\["[^"\\]*"(?:, *"[^"\\]*")*\]$/.test(rest)
        ? { kind: 'entrypoint', words: JSON.parse(rest) }
        : undefined;
    case 'EXPOSE':
    case 'CMD':
      return { kind: word === 'CMD' ? 'cmd' : 'expose' };
    default:
      return undefined;
  }
}

/**
 * Whether .dockerignore lets a path into the build. The file has the line `*`, which excludes everything, and then `!name` for
 * each included file or folder of the root. @throws Error for another pattern
 */
export function readIgnore(text: string): (path: string) => boolean {
  const [all, ...lines] = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const names = lines.map((line) => /^!([\w.-]+)$/.exec(line)?.[1]);
  if (all !== '*' || names.includes(undefined)) {
    throw new Error('.dockerignore: expected "*", then a line "!name" for each file or folder of the root');
  }
  return (path) => names.includes(path.split('/')[0]);
}
