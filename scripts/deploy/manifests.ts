/**
 * Checks of the manifests in deploy/kubernetes without a cluster. Their form is checked against the types of the package
 * kubernetes-types, which are generated from the OpenAPI document of Kubernetes. Further rules cover names that refer to each
 * other, options of the program, and the rights of containers.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';

export const FOLDER = 'deploy/kubernetes';

/** The fields of a resource that the rules below read. `formProblems` checks the complete resource. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Labels };
  readonly spec?: Spec;
}

type Labels = Readonly<Record<string, string>>;

interface Spec {
  readonly selector?: Labels | { readonly matchLabels: Labels };
  readonly template?: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  readonly ports?: readonly { readonly targetPort: string; readonly protocol: string }[];
}

interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly securityContext?: { readonly runAsNonRoot?: boolean; readonly seccompProfile?: { readonly type: string } };
  readonly containers: readonly Container[];
  readonly volumes?: readonly { readonly name: string }[];
}

export interface Container {
  readonly name: string;
  readonly args: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly protocol: string }[];
  readonly resources?: { readonly requests?: Labels; readonly limits?: Labels };
  readonly securityContext?: {
    readonly allowPrivilegeEscalation?: boolean;
    readonly readOnlyRootFilesystem?: boolean;
    readonly capabilities?: { readonly drop?: readonly string[] };
  };
  readonly volumeMounts?: readonly { readonly name: string }[];
}

/** The resources in all YAML files of the folder, except kustomizations and the scenario. */
export function packagedManifests(): readonly Manifest[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.yaml'));
  return files.flatMap((file) => manifestsIn(readFileSync(join(FOLDER, file), 'utf8')));
}

/** The resources in a YAML text. */
export function manifestsIn(text: string): readonly Manifest[] {
  // The cast makes every field optional, so that the compiler demands a check before a field is used.
  const documents = parseAllDocuments(text).map((document) => document.toJS() as Partial<Manifest>);
  return documents.filter((each): each is Manifest => each.apiVersion !== undefined && each.kind !== 'Kustomization');
}

/** Complaints of the TypeScript compiler about resources that do not have the form of their kind. */
export function formProblems(manifests: readonly Manifest[]): readonly string[] {
  const lines = manifests.map((manifest, n) => {
    const { apiVersion, kind } = manifest;
    const module = apiVersion === 'v1' ? 'core/v1' : apiVersion.replace('.k8s.io', '');
    return `export const resource${n}: import('kubernetes-types/${module}').${kind} = ${JSON.stringify(manifest, null, 2)};\n`;
  });
  const folder = mkdtempSync(join(tmpdir(), 'ghostfleet-manifests-'));
  try {
    writeFileSync(join(folder, 'manifests.ts'), lines.join(''));
    const paths = { 'kubernetes-types/*': [`${resolve('node_modules/kubernetes-types')}/*`] };
    const compilerOptions = { strict: true, noEmit: true, types: [], lib: ['es2023'], paths };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['manifests.ts'] }));
    const compiler = resolve('node_modules/tsc/bin/tsc');
    const { stdout } = spawnSync(process.execPath, [compiler, '-p', '.', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return stdout.split('\n').filter((line) => line.includes('error TS'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The problems of resources whose form is correct. */
export function rulesBroken(manifests: readonly Manifest[]): readonly string[] {
  const pods = manifests.flatMap(({ spec }) => spec?.template ?? []);
  return manifests.flatMap(({ kind, metadata: { name }, spec }) => {
    const who = `${kind} ${name}`;
    const pod = spec?.template;
    return [...(spec === undefined ? [] : selectorProblems(spec, pods)), ...(pod ? podProblems(pod.spec) : [])].map(
      (problem) => `${who}: ${problem}`,
    );
  });
}

type Pod = NonNullable<Spec['template']>;

function selectorProblems({ selector, template, ports = [] }: Spec, pods: readonly Pod[]): readonly string[] {
  if (selector === undefined) return [];
  // The cast is safe because a selector has one of these two forms.
  const labels = ('matchLabels' in selector ? selector.matchLabels : selector) as Labels;
  const selected = (template ? [template] : pods).filter(({ metadata }) =>
    Object.entries(labels).every(([key, value]) => metadata.labels[key] === value),
  );
  if (selected.length === 0) return ['its selector matches no pod'];
  const open = selected.flatMap(({ spec }) => spec.containers).flatMap((container) => container.ports ?? []);
  return ports
    .filter((port) => !open.some(({ name, protocol }) => name === port.targetPort && protocol === port.protocol))
    .map(({ targetPort }) => `no container has the port "${targetPort}"`);
}

function podProblems(pod: PodSpec): readonly string[] {
  const { securityContext: context, volumes = [] } = pod;
  const rules: readonly (readonly [boolean, string])[] = [
    [pod.automountServiceAccountToken === false, 'it has a token of the cluster'],
    [context?.runAsNonRoot === true, 'it may run as root'],
    [context?.seccompProfile?.type === 'RuntimeDefault', 'it has no seccomp profile'],
  ];
  const mounted = pod.containers.flatMap(({ volumeMounts = [] }) => volumeMounts.map(({ name }) => name));
  return [
    ...rules.flatMap(([holds, problem]) => (holds ? [] : problem)),
    ...mounted.filter((name) => !volumes.some((volume) => volume.name === name)).map((name) => `no volume "${name}"`),
    ...pod.containers.flatMap(containerProblems),
  ];
}

function containerProblems({ args, env = [], resources, securityContext }: Container): readonly string[] {
  const { requests = {}, limits = {} } = resources ?? {};
  const rules: readonly (readonly [boolean, string])[] = [
    [securityContext?.allowPrivilegeEscalation === false, 'its container may gain rights'],
    [securityContext?.readOnlyRootFilesystem === true, 'its container can write to its root file system'],
    [securityContext?.capabilities?.drop?.includes('ALL') === true, 'its container has capabilities'],
    [['cpu', 'memory'].every((name) => name in requests && name in limits), 'its container has no limits'],
  ];
  return [...rules.flatMap(([holds, problem]) => (holds ? [] : problem)), ...referenceProblems(args, env)];
}

/** Kubernetes leaves `$(NAME)` as it stands if the variable is unknown, or defined further below. */
function referenceProblems(args: readonly string[], env: NonNullable<Container['env']>): readonly string[] {
  const names = env.map(({ name }) => name);
  const unknown = (text: string, known: readonly string[]) =>
    [...text.matchAll(/\$\((\w+)\)/g)].map(([, name = '']) => name).filter((name) => !known.includes(name));
  return [
    ...args.flatMap((arg) => unknown(arg, names)),
    ...env.flatMap(({ value = '' }, n) => unknown(value, names.slice(0, n))),
  ].map((name) => `the variable "${name}" is not defined, or not before its use`);
}
