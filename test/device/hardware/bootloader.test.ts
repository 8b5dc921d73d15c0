import { expect, it } from 'vitest';
import { Bootloader } from '../../../src/device/hardware/bootloader.js';

const OLD = { bundle: 'a', name: 'a', version: 'v1' };
const NEW = { bundle: 'a', name: 'a', version: 'v2' };

/** Resets, and swaps the images if a swap is requested; returns the version that runs afterwards. */
function reset(bootloader: Bootloader): string {
  if (bootloader.reset()) bootloader.swapped();
  return bootloader.running.version;
}

it('an image that was requested runs after the next reset, on trial', () => {
  const bootloader = new Bootloader(OLD);
  expect(reset(bootloader)).toBe('v1');
  bootloader.request(NEW);
  expect(bootloader.running).toBe(OLD);
  expect(reset(bootloader)).toBe('v2');
  expect(bootloader.confirmed).toBe(false);
});

it('an image that is not confirmed is reverted by the next reset', () => {
  const bootloader = new Bootloader(OLD);
  bootloader.request(NEW);
  reset(bootloader);
  expect(reset(bootloader)).toBe('v1');
  expect(bootloader.confirmed).toBe(true);
  expect(reset(bootloader)).toBe('v1');
});

it('an image that is confirmed stays', () => {
  const bootloader = new Bootloader(OLD);
  bootloader.request(NEW);
  reset(bootloader);
  bootloader.confirm();
  expect(reset(bootloader)).toBe('v2');
});

it('bytes that are not an image request no swap, and cancel an earlier request', () => {
  const bootloader = new Bootloader(OLD);
  bootloader.request(NEW);
  bootloader.request(undefined);
  expect(bootloader.reset()).toBe(false);
  expect(bootloader.running).toBe(OLD);
});

it('an interrupted swap is continued', () => {
  const bootloader = new Bootloader(OLD);
  bootloader.request(NEW);
  expect(bootloader.reset()).toBe(true);
  expect(bootloader.reset()).toBe(true);
  bootloader.swapped();
  expect(bootloader.running).toBe(NEW);
  expect(bootloader.confirmed).toBe(false);
});
