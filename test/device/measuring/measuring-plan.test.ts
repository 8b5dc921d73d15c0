import { expect, it } from 'vitest';
import { DeviceConfig } from '../../../src/device/config/device-config.js';
import type { ConfigItem } from '../../../src/device/config/layout.js';
import { planFor } from '../../../src/device/measuring/measuring-plan.js';
import { deviceType } from '../../../src/device/type/device-type.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import type { Profile } from '../../../src/profile/profile.js';

const { profile, layout } = deviceType(packagedProfiles().get('clime') as Profile);
const interval = layout.find('app', 'interval-sample') as ConfigItem;
const planOf = (seconds: number) => planFor(profile, new DeviceConfig(layout, new Map([[interval.key, seconds]])));

it('devices that measure in the same way share a plan', () => {
  expect(planOf(30)).toBe(planOf(30));
});

it('a device whose live settings change gets another plan', () => {
  const config = new DeviceConfig(layout);
  const before = planFor(profile, config);
  config.store(interval, '30');
  expect(planFor(profile, config)).toBe(planOf(30));
  expect(planFor(profile, config)).not.toBe(before);
});
