/** Devices whose firmware is replaced: they have the parameters and the buffer size of the version that runs. */
import { expect, it } from 'vitest';
import { Bootloader } from '../../../src/device/hardware/bootloader.js';
import type { Profile } from '../../../src/profile/profile.js';
import { testDevice } from '../../support/device.js';

function older(profile: Profile): Profile {
  const found = profile.firmware.with('3.5.5');
  if (found === undefined) throw new Error('no version 3.5.5');
  return found;
}

/** A device with firmware 3.5.5, and a function that puts another version into its second slot and restarts the device. */
function deviceWith355(profile: string, config: readonly string[] = []) {
  const made = testDevice({ profile, config, change: older, network: () => {} });
  const { device, clock } = made;
  device.powerOn();
  const update = async (version: string) => {
    const bootloader = device.bootloader ?? new Bootloader(device.build);
    device.bootloader = bootloader;
    bootloader.request({ ...device.build, version });
    device.reboot('update');
    // The swap of the images takes 104 s.
    await clock.runUntil(clock.now + 110_000);
    bootloader.confirm();
  };
  return { ...made, update };
}

const answerOf = (device: ReturnType<typeof deviceWith355>['device'], line: string) =>
  device.shell(line).lines.join('\n');

it('after an update to 4.0.0 the device has the parameters of 4.0.0, and keeps its settings in flash', async () => {
  const { device, update } = deviceWith355('clime', ['app config interval-report 900']);
  expect(answerOf(device, 'app config send-timeout')).not.toContain('send-timeout');
  await update('v4.0.0');
  expect(answerOf(device, 'app config send-timeout')).toBe('app config send-timeout 120');
  expect(answerOf(device, 'app config interval-report')).toBe('app config interval-report 900');
});

it('after an update to 4.0.0 the device has the buffer size of 4.0.0', async () => {
  const { device, update } = deviceWith355('clime');
  expect(device.bufferSize).toBe(16_384);
  await update('v4.0.0');
  expect(device.bufferSize).toBe(10_240);
});

it('an image that the device does not confirm is reverted to the old version', async () => {
  const { device, clock } = deviceWith355('clime');
  const bootloader = new Bootloader(device.build);
  device.bootloader = bootloader;
  bootloader.request({ ...device.build, version: 'v4.0.0' });
  device.reboot('update');
  await clock.runUntil(clock.now + 110_000);
  expect([device.build.version, device.bufferSize]).toEqual(['v4.0.0', 10_240]);
  device.reboot('power');
  await clock.runUntil(clock.now + 110_000);
  expect([device.build.version, device.bufferSize]).toEqual(['v3.5.5', 16_384]);
});

it('an image of a version that the profile does not describe behaves like the image that it replaces', async () => {
  const { device, update } = deviceWith355('clime');
  await update('v9.0.0');
  expect([device.build.version, device.bufferSize]).toEqual(['v9.0.0', 16_384]);
});

it('settings that a version lacks stay in flash for the version that has them', async () => {
  const { device, update } = deviceWith355('clime');
  await update('v4.0.0');
  device.shell('app config send-timeout 300');
  device.shell('config save');
  await update('v3.5.5');
  expect(answerOf(device, 'app config send-timeout')).not.toContain('send-timeout');
  await update('v4.0.0');
  expect(answerOf(device, 'app config send-timeout')).toBe('app config send-timeout 300');
});

it('an override of a quantity stays when the new version numbers its sensors differently', async () => {
  const { device, clock, update } = deviceWith355('serial', ['app config device-0 "em1xx,1,1"']);
  device.controls.hold('ble_tag.1.temperature', 42);
  device.controls.hold('em1xx.1.power', 1234);
  await update('v4.0.0');
  const shownBy = (name: string) => {
    const [kind = '', , quantity = ''] = name.split('.');
    const sensor = device.type.profile.sensors.findIndex((spec) => spec.name === kind);
    const signal = device.environment.signals(sensor, 0).find(({ spec }) => spec.name === quantity);
    return signal && device.environment.value(signal, clock.wall);
  };
  expect([shownBy('ble_tag.1.temperature'), shownBy('em1xx.1.power')]).toEqual([42, 1234]);
});
