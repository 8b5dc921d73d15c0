/** Configuration modules for tests: one parameter of each type and shape, named as on a real device. */
import type { IntParameter, ModuleSpec, ParameterSpec, StringParameter } from '../../../src/profile/parameters.js';

export const INTERVAL: IntParameter = {
  name: 'interval-report',
  type: 'int',
  min: 30,
  max: 86400,
  default: 1800,
  help: 'Get/Set report interval in seconds.',
};
export const MODE: Extract<ParameterSpec, { readonly type: 'enum' }> = {
  name: 'mode',
  type: 'enum',
  values: ['none', 'lte', 'lrw'],
  default: 'none',
  help: 'Radio.',
};
export const THRESHOLD: ParameterSpec = {
  name: 'hygro-t-alarm-hi-thr',
  type: 'float',
  min: -40.75,
  max: 125,
  default: 0,
  help: 'Threshold.',
};
export const CONNECTED: ParameterSpec = {
  name: 'backup-report-connected',
  type: 'bool',
  default: true,
  help: 'Report when power comes back.',
};
export const APN: ParameterSpec = { name: 'apn', type: 'string', maxLength: 63, default: '', help: 'Access point.' };
export const LTE_MODE: StringParameter = {
  name: 'mode',
  type: 'string',
  maxLength: 20,
  default: 'lte-m,nb-iot',
  check: 'lte-mode',
  help: 'Network modes,\n    in order of preference',
};
export const DEVEUI: ParameterSpec = {
  name: 'deveui',
  type: 'hex',
  size: 8,
  default: '0000000000000000',
  help: 'Device EUI.',
};

/** The modules of a small clime-like device, in registration order. */
export function modules(): readonly ModuleSpec[] {
  return [
    {
      name: 'app',
      prefix: 'app-clime',
      parameters: [
        { name: 'interval-sample', type: 'int', min: 1, max: 86400, default: 60, help: 'Sample interval.' },
        INTERVAL,
        { name: 'interval-poll', type: 'int', min: 0, max: 86400, default: 0, help: 'Poll interval.' },
        CONNECTED,
        { name: 'backup-report-disconnected', type: 'bool', default: true, help: 'Report when power goes.' },
        THRESHOLD,
        MODE,
      ],
    },
    {
      name: 'ble',
      prefix: 'ble',
      parameters: [{ name: 'passkey', type: 'string', maxLength: 6, default: '', help: 'Passkey.' }],
    },
    {
      name: 'tag',
      prefix: 'tag',
      slots: 3,
      parameters: [
        { name: 'enabled', type: 'bool', default: false, help: 'Listen.' },
        { name: 'scan-interval', type: 'int', min: 1, max: 86400, default: 300, help: 'Scan interval.' },
        { name: 'scan-duration', type: 'int', min: 1, max: 86400, default: 12, help: 'Scan duration.' },
      ],
    },
    {
      name: 'cloud',
      prefix: 'cloud',
      parameters: [{ name: 'spool-size', type: 'int', min: 0, max: 100, default: 10, help: 'Spool size.' }],
    },
    { name: 'lrw', prefix: 'lrw', parameters: [DEVEUI] },
    {
      name: 'lte',
      prefix: 'lte',
      parameters: [
        { name: 'test', type: 'bool', default: false, help: 'Test mode.' },
        LTE_MODE,
        { name: 'bands', type: 'string', maxLength: 64, default: '', check: 'lte-bands', help: 'Bands.' },
        { name: 'network', type: 'string', maxLength: 6, default: '', check: 'lte-network', help: 'Network.' },
        APN,
      ],
    },
  ];
}
