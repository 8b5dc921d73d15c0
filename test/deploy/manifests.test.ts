/** The manifests for Kubernetes. `npm run deploy:check` also composes them with kubectl and starts the service with them. */
import { expect, it } from 'vitest';
import {
  formProblems,
  type Manifest,
  manifestsIn,
  packagedManifests,
  rulesBroken,
} from '../../scripts/deploy/manifests.js';
import { ghostfleet } from '../support/host.js';

const manifests = packagedManifests();
const kinds = manifests.map(({ kind }) => kind);

const containersOf = ({ spec }: Manifest) => spec?.template?.spec.containers ?? [];

it('every resource has the form that Kubernetes requires, and a mistake in a form is found', () => {
  expect(kinds).toEqual(expect.arrayContaining(['Deployment', 'Job', 'Namespace', 'PodDisruptionBudget', 'Service']));
  const typo = manifestsIn('{apiVersion: v1, kind: Service, metadata: {name: x}, spec: {sesionAffinity: ClientIP}}');
  const problems = formProblems([...manifests, ...typo]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain('sesionAffinity');
});

it('selectors, ports, volumes and variables refer to existing things, and no container has special rights', () => {
  expect(rulesBroken(manifests)).toEqual([]);
});

it('a container with too many rights, and a selector that matches no pod, are found', () => {
  const [service, deployment] = ['Service', 'Deployment'].map((wanted) =>
    manifests.find(({ kind }) => kind === wanted),
  );
  const careless = structuredClone(deployment) as unknown as { spec: { template: { spec: Record<string, unknown> } } };
  careless.spec.template.spec.securityContext = {};
  careless.spec.template.spec.containers = [{ name: 'serve', args: ['--db=$(DB)'] }];
  const problems = rulesBroken([service as Manifest, careless as unknown as Manifest]);
  expect(problems).toEqual(
    expect.arrayContaining([
      'Service ghostfleet: no container has the port "http"',
      'Deployment ghostfleet: it may run as root',
      'Deployment ghostfleet: its container has capabilities',
      'Deployment ghostfleet: the variable "DB" is not defined, or not before its use',
    ]),
  );
  expect(rulesBroken([service as Manifest])).toEqual(['Service ghostfleet: its selector matches no pod']);
});

it('containers use only commands and options that the program has', async () => {
  for (const { args } of manifests.flatMap(containersOf)) {
    const [name = ''] = args;
    const { exit, out } = await ghostfleet([name, '--help']);
    expect(exit).toBe(0);
    for (const [option] of args.join(' ').matchAll(/--[a-z-]+/g)) expect(out).toContain(`${option} `);
  }
});

it('the scenario of the conductor is valid', async () => {
  expect(await ghostfleet(['validate', 'deploy/kubernetes/load/scenario.yaml'])).toMatchObject({ exit: 0 });
});
