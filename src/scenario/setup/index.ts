/** Kinds of resources that `setup` creates before the devices, by name. To add one, write its file and list it here. */
import type { Form } from '../../input/checks.js';
import type { LocatedNode, Problems } from '../../input/document.js';
import { kindForms } from '../values/kind-forms.js';
import { client } from './client.js';
import { connector } from './connector.js';
import { firmware } from './firmware.js';
import type { SetupKind, SetupScope, SetupWorld } from './kind.js';
import { request } from './request.js';
import { tag } from './tag.js';
import { variable } from './variable.js';

export const SETUPS = { tag, variable, connector, firmware, client, request } as const;

export type SetupName = keyof typeof SETUPS;
// The cast is needed because `Object.keys` returns `string[]`.
export const SETUP_NAMES = Object.keys(SETUPS) as readonly SetupName[];

type OptionsOf<K extends SetupName> = (typeof SETUPS)[K] extends SetupKind<infer O> ? O : never;
type SetupKinds = { readonly [K in SetupName]: SetupKind<OptionsOf<K>> };

/** A resource of `setup` with its options, as plain data. */
export type SetupCall<K extends SetupName = SetupName> = {
  [P in K]: { readonly setup: P; readonly options: OptionsOf<P> };
}[K];

/** JSON Schema of the value after the name of each kind, for editors. */
export function setupForms(): Readonly<Record<string, Form>> {
  return kindForms(SETUPS);
}

/** Reads the options of the kind `name`. */
export function checkSetup<K extends SetupName>(
  name: K,
  node: LocatedNode,
  problems: Problems,
  scope: SetupScope,
): SetupCall | undefined {
  const kinds: SetupKinds = SETUPS;
  const options = kinds[name].check(node, problems, scope);
  return options === undefined ? undefined : ({ setup: name, options } as unknown as SetupCall);
}

/** `variable "threshold" = "8"` */
export function describeSetup<K extends SetupName>(call: SetupCall<K>): string {
  const kinds: SetupKinds = SETUPS;
  return `${call.setup} ${kinds[call.setup].describe(call.options)}`;
}

/** Creates the resource. @throws Error with the reason */
export function runSetup<K extends SetupName>(world: SetupWorld, call: SetupCall<K>): Promise<void> {
  const kinds: SetupKinds = SETUPS;
  return kinds[call.setup].run(world, call.options);
}
