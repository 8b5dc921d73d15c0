/**
 * A folder with the files of the image, to run the program as a container would: what the last stage of the Dockerfile copies.
 * `docker build` in the workflow shows that the stages before it build these files.
 */
import { cpSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

export interface Image {
  /** Folder that stands for the root of the image. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: { readonly uid: number; readonly gid: number };
  /** The program and its first arguments, with paths of the image. */
  readonly entrypoint: readonly string[];
}

const COPIED = ['dist', 'package.json', 'LICENSE', 'profiles', 'scenarios', 'wireshark'];

/** Copies the built program to `folder`. */
export function assembleImage(folder: string): Image {
  for (const path of COPIED) cpSync(path, join(folder, 'app', path), { recursive: true });
  symlinkSync(resolve('node_modules'), join(folder, 'app', 'node_modules'));
  return {
    ...{ root: folder, workdir: '/app', env: { NODE_ENV: 'production' } },
    user: { uid: 1000, gid: 1000 },
    entrypoint: ['node', '/app/dist/main.js'],
  };
}
