/**
 * Carries out the steps of the Dockerfile without a container engine. For each stage, a folder stands for the root directory:
 * COPY and WORKDIR use paths below it, and RUN executes commands in it with the programs of this machine. This shows that the
 * steps suffice: they copy all necessary files, and the result runs. Base images are not used.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readDockerfile, readIgnore, type Step } from './dockerfile.js';

export interface Image {
  /** Folder that stands for the root of the image. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: { readonly uid: number; readonly gid: number };
  /** The program and its first arguments, with paths of the image. */
  readonly entrypoint: readonly string[];
}

/** Builds the image of the Dockerfile below `folder`. @param say called before each command */
export function buildImage(folder: string, say: (line: string) => void): Image {
  const letsIn = readIgnore(readFileSync('.dockerignore', 'utf8'));
  const roots = new Map<string, string>();
  let image: Image | undefined;
  for (const [n, { name, steps }] of readDockerfile(readFileSync('Dockerfile', 'utf8')).entries()) {
    const root = join(folder, `stage-${n}`);
    mkdirSync(root);
    if (name !== undefined) roots.set(name, root);
    image = { root, workdir: '/', env: {}, user: { uid: 0, gid: 0 }, entrypoint: [] };
    for (const step of steps) image = carryOut(step, image, { letsIn, roots, say });
  }
  if (image === undefined) throw new Error('the Dockerfile has no stage');
  return image;
}

interface Build {
  readonly letsIn: (path: string) => boolean;
  readonly roots: ReadonlyMap<string, string>;
  readonly say: (line: string) => void;
}

/** The image after this step. */
function carryOut(step: Step, image: Image, { letsIn, roots, say }: Build): Image {
  const { root, workdir, env } = image;
  const here = join(root, workdir);
  switch (step.kind) {
    case 'workdir':
      mkdirSync(join(root, step.path), { recursive: true });
      return { ...image, workdir: step.path };
    case 'copy':
      for (const source of step.sources) {
        if (step.from === undefined && !letsIn(source)) throw new Error(`.dockerignore leaves out "${source}"`);
        const path = step.from === undefined ? source : join(rootOf(step.from, roots), source);
        if (!existsSync(path)) throw new Error(`COPY ${source}: no such file or folder`);
        const to = step.to.startsWith('/') ? join(root, step.to) : join(here, step.to);
        cpSync(path, step.to.endsWith('/') ? join(to, basename(source)) : to, {
          recursive: true,
          verbatimSymlinks: true,
        });
      }
      return image;
    case 'run':
      say(step.command);
      execFileSync('sh', ['-ec', step.command], {
        cwd: here,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      return image;
    case 'env':
      return { ...image, env: { ...env, [step.name]: step.value } };
    case 'user':
      return { ...image, user: { uid: step.uid, gid: step.gid } };
    case 'entrypoint':
      return { ...image, entrypoint: step.words };
    case 'expose':
    case 'cmd':
      return image;
    default:
      return step satisfies never;
  }
}

function rootOf(stage: string, roots: ReadonlyMap<string, string>): string {
  const root = roots.get(stage);
  if (root === undefined) throw new Error(`COPY --from=${stage}: no stage with this name`);
  return root;
}
