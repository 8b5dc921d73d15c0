/** The check of the limit of open files before a run. */
import { expect, it } from 'vitest';
import { packagedProfiles } from '../../../src/profile/library.js';
import { describeDeviceTypes } from '../../../src/runner/known-types.js';
import { checkOpenFiles } from '../../../src/runner/world/open-files.js';
import { parseScenario } from '../../../src/scenario/parse/scenario.js';
import { planScenario } from '../../../src/scenario/plan/plan-scenario.js';

const profiles = packagedProfiles();

const FLEET = `
name: many
duration: 10m
fleet:
  - { name: secure, profile: hio-node, count: 400, config: [cloud config protocol flap-dtls] }
  - { name: plain, profile: hio-node, count: 5000 }
`;

const planned = (text: string) => planScenario(parseScenario(text, 'many.yaml', describeDeviceTypes(profiles)), {});

const check = (limit: number | undefined) => () =>
  checkOpenFiles(planned(FLEET), profiles, { udp: true, service: false, virtual: false }, limit);

it('a limit below the number of devices with sockets of their own is refused, with the limit that is needed', () => {
  expect(check(300)).toThrow(
    'the limit of open files is 300, but the run needs about 600: 400 devices with DTLS need a socket each',
  );
  try {
    check(300)();
  } catch (error) {
    expect(error).toMatchObject({ hint: expect.stringContaining('ulimit -n 1024'), exit: 2 });
  }
});

it('a limit that suffices, and no limit, are accepted', () => {
  expect(check(600)).not.toThrow();
  expect(check(undefined)).not.toThrow();
});

it('the connections of the users of loads count, at both ends if the service is in this process', () => {
  const loads = 'load: [{ from: 1s, users: 500, list-devices: }, { from: 1s, users: 20, count-devices: }]';
  const fleet = 'fleet: [{ name: clime, profile: clime, count: 1 }]';
  const plan = planned(`name: busy\nduration: 1m\n${fleet}\n${loads}\n`);
  expect(() => checkOpenFiles(plan, profiles, { udp: false, service: true, virtual: false }, 256)).toThrow(
    'needs about 1240: loads need 520 connections',
  );
  expect(() => checkOpenFiles(plan, profiles, { udp: false, service: false, virtual: false }, 720)).not.toThrow();
});

it('in virtual time, the users of one caller share a connection', () => {
  const fleet = 'fleet: [{ name: clime, profile: clime, count: 1 }]';
  const plan = planned(`name: patient\nduration: 10m\n${fleet}\nload: [{ users: 500, think: 5m, latest-value: }]\n`);
  expect(() => checkOpenFiles(plan, profiles, { udp: false, service: true, virtual: true }, 256)).not.toThrow();
});
