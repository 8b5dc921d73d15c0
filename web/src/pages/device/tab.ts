/** A tab of the page of a device. */
import type { ComponentType } from 'preact';
import type { DeviceModel } from '../../model/device.js';

export interface Tab {
  readonly key: string;
  readonly title: string;
  readonly content: ComponentType<TabProps>;
}

export interface TabProps {
  readonly device: DeviceModel;
}
