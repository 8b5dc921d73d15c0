/** The published catalog of the eleven applications, and a device to compare with it. */
import { readFileSync } from 'node:fs';
import type { CommandResult } from '../../src/device/shell/command.js';
import { minutes } from '../../src/kernel/time.js';
import { VirtualClock } from '../../src/kernel/virtual-clock.js';
import { packagedProfiles } from '../../src/profile/library.js';
import type { BodyNode, Profile } from '../../src/profile/profile.js';
import { testDevice } from '../support/device.js';

export interface CatalogParameter {
  readonly name: string;
  readonly type: 'int' | 'float' | 'bool' | 'enum' | 'string';
  readonly min?: number;
  readonly max?: number;
  readonly max_length?: number;
  readonly values?: readonly string[];
  readonly default: string | number | boolean;
}

export interface CatalogCommand {
  readonly command: string;
  readonly args: string;
  readonly output: string | readonly string[];
  readonly alternative?: readonly string[];
  readonly bad_args?: string;
}

export interface Application {
  readonly prefix: string;
  readonly messageVersion: number;
  /** Parameters of the default build, in the order of `app config show`. */
  readonly parameters: readonly CatalogParameter[];
  readonly otherBuilds: readonly string[];
  readonly recommended: readonly string[];
  readonly commands: readonly CatalogCommand[];
  readonly decoder: { readonly name: string; readonly hash: string; readonly keys: number };
  readonly encoder?: { readonly name: string; readonly hash: string };
  /** Paths of the keys that the default build sends. */
  readonly sent: readonly string[];
  /** Paths of the keys of the codec that the default build does not send. */
  readonly notSent: readonly string[];
  /** For each type of device on a serial line: its number, and the keys of its samples. */
  readonly deviceTypes?: Readonly<Record<string, readonly [number, ...string[]]>>;
  /** Seconds after the start of the application; null if it sends no first report by itself. */
  readonly firstReport: number | null;
  /** Percent. */
  readonly jitter: number;
}

const text = readFileSync(new URL('../fixtures/catalog.json', import.meta.url), 'utf8');
// The cast is safe because the fixture was made with this shape. The tests check its values.
const { applications } = JSON.parse(text) as { readonly applications: Readonly<Record<string, Application>> };

export const catalog: readonly (readonly [string, Application])[] = Object.entries(applications);

const profiles = packagedProfiles();

export function profileOf(name: string): Profile {
  const profile = profiles.get(name);
  if (profile === undefined) throw new Error(`no profile ${name}`);
  return profile;
}

/** Paths of the keys that a body may contain. */
export function written({ body, decoder }: Profile): ReadonlySet<string> {
  const keys = new Set<number>();
  const walk = (nodes: readonly BodyNode[]): void => {
    for (const node of nodes) {
      keys.add(node.key);
      if (node.kind === 'map' || node.kind === 'each') walk(node.children);
      if (node.kind === 'frames' && node.keys) for (const key of Object.values(node.keys)) keys.add(key);
      if (node.kind === 'samples') {
        keys.add(node.time);
        for (const columns of node.columns.values()) for (const { key } of columns) keys.add(key);
      }
    }
  };
  walk(body);
  return new Set([...keys].map((key) => decoder.keys[key]?.path ?? `key ${key}`));
}

/** A device that has run for six minutes without a radio. `type` runs a line on its shell and waits until the command ends. */
export async function bench(application: string, config: readonly string[] = []) {
  const clock = new VirtualClock();
  const hasMode = profileOf(application).timing.mode !== undefined;
  const silent = hasMode ? ['app config mode none'] : [];
  const { device } = testDevice({ clock, profile: application, config: [...silent, ...config], network: () => {} });
  device.powerOn();
  await clock.runUntil(minutes(6));
  return {
    device,
    async type(line: string): Promise<CommandResult> {
      const parts: CommandResult[] = [];
      parts.push(device.shell(line, (part) => parts.push(part)));
      for (let last = parts.at(-1); last?.rest; last = parts.at(-1)) await clock.runUntil(clock.now + last.rest.wait);
      return { code: parts.at(-1)?.code ?? 0, lines: parts.flatMap(({ lines }) => lines) };
    },
  };
}
