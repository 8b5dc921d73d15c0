import { describe, expect, it } from 'vitest';
import { DeviceConfig } from '../../../src/device/config/device-config.js';
import type { ConfigItem } from '../../../src/device/config/layout.js';
import { buildConfigUpload } from '../../../src/device/firmware/config-upload.js';
import { deviceType } from '../../../src/device/type/device-type.js';
import { packagedProfiles } from '../../../src/profile/library.js';
import type { Profile } from '../../../src/profile/profile.js';
import { parseUp } from '../../../src/protocol/messages/index.js';
import { shellDevice } from '../shell/shell-device.js';

const type = deviceType(packagedProfiles().get('clime') as Profile);
const interval = type.layout.find('app', 'interval-report') as ConfigItem;
const uploadOf = (config: DeviceConfig) => buildConfigUpload({ type, config }, shellDevice({ config }));
const linesOf = (config: DeviceConfig) => {
  const message = parseUp(uploadOf(config).message);
  return message.kind === 'upload-config' ? message.lines : [];
};

describe('the upload of the configuration', () => {
  it('is one message for all devices with the same settings', () => {
    const settings = new Map([[interval.key, 900]]);
    const [one, other] = [new DeviceConfig(type.layout, settings), new DeviceConfig(type.layout, settings)];
    expect(uploadOf(one).message).toBe(uploadOf(other).message);
    expect(linesOf(one)).toContain('app config interval-report 900');
  });

  it('differs between devices with different settings', () => {
    const factory = new DeviceConfig(type.layout);
    const set = new DeviceConfig(type.layout, new Map([[interval.key, 900]]));
    expect(uploadOf(set).hash).not.toBe(uploadOf(factory).hash);
  });

  it('shows changes that take effect only after a reboot', () => {
    const config = new DeviceConfig(type.layout);
    uploadOf(config);
    config.write(interval, '1200');
    expect(linesOf(config)).toContain('app config interval-report 1200');
  });

  it('shows a value that was written, saved and activated at once', () => {
    const config = new DeviceConfig(type.layout);
    uploadOf(config);
    config.store(interval, '1200');
    expect(linesOf(config)).toContain('app config interval-report 1200');
  });
});
