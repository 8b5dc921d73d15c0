/** The golden files: `<name>.yaml` is a scenario with one device, `<name>.txt` the resulting dialogue. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Profile } from '../../src/profile/profile.js';
import { recordDialogue } from './dialogue.js';
import { renderDialogue } from './render.js';

const FOLDER = 'test/golden';

/** Names of the dialogues, sorted. */
export function goldenNames(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

export function goldenPath(name: string): string {
  return `${FOLDER}/${name}.txt`;
}

/** The lines of the golden file; empty if the file does not exist. */
export function goldenLines(name: string): readonly string[] {
  const path = goldenPath(name);
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}

/** The lines of the dialogue as the sources produce it now. */
export async function currentLines(name: string, profiles: ReadonlyMap<string, Profile>): Promise<readonly string[]> {
  const file = `${FOLDER}/${name}.yaml`;
  return renderDialogue(await recordDialogue(readFileSync(file, 'utf8'), file, profiles));
}
