/** Command groups of hio devices that differ from CHESTER's (`hio_cloud_shell.c`, `hio_lte_shell.c`, `hio_config_shell.c`). */

import { EINVAL } from '../../protocol/errno.js';
import { uuidText } from '../../protocol/uuid.js';
import type { DeviceTime } from '../link/cloud-counters.js';
import type { Command } from '../shell/command.js';
import type { CloudMetrics, FirmwareDownload } from '../shell/host.js';
import { downloadFirmware, pollCloud } from './cloud.js';
import { infoGroup } from './info.js';
import { lteGroup } from './lte.js';
import { moduleConfig } from './module-config.js';
import { groupHelp, refused, succeeded } from './results.js';

const PSK_FORM = /^(?:[\da-f]{2})+$/i;

const state: Command = {
  word: 'state',
  help: 'Show the session, the address in use, and whether firmware is being downloaded.',
  args: [0, 0],
  run: (host) => {
    const { initialized, counters } = host.cloud;
    const { failover } = host.hardware.link;
    const addresses = failover && [
      `active addr: ${failover.address}`,
      `active idx: ${failover.index}`,
      `consecutive failures: ${failover.failures}`,
      `failover count: ${failover.count}`,
    ];
    return succeeded(
      `initialized: ${yesNo(initialized)}`,
      `last seen ts: ${counters.lastSeen ?? 0}`,
      ...(addresses ?? []),
      `firmware update active: ${yesNo(host.download !== undefined)}`,
    );
  },
};

const metrics: Command = {
  word: 'metrics',
  help: 'Show the counters of the connection.',
  args: [0, 0],
  run: (host) => succeeded(...cloudMetrics(host.cloud.counters)),
};

const firmware: Command = {
  word: 'firmware',
  help: 'Firmware of this device.',
  args: [0, 0],
  run: groupHelp,
  children: [
    downloadFirmware('hio_cloud_firmware_update failed'),
    {
      word: 'status',
      help: 'Show the progress of a firmware download.',
      args: [0, 0],
      run: (host) => succeeded(...downloadLines(host.download)),
    },
  ],
};

const psk: Command = {
  word: 'psk',
  help: 'The key for DTLS.',
  args: [0, 0],
  run: groupHelp,
  children: [
    {
      word: 'set',
      help: 'Store the pre-shared key in the modem: <hex digits>',
      args: [1, 1],
      // Nothing is stored: a real modem keeps the key to itself, and the simulation does not use it.
      run: (_host, [key = '']) =>
        PSK_FORM.test(key) ? succeeded() : refused(EINVAL, `hio_cloud_transfer_set_psk failed: ${EINVAL}`),
    },
  ],
};

export const hioCloud: Command = {
  word: 'cloud',
  help: 'The connection to the cloud.',
  run: groupHelp,
  children: [moduleConfig('cloud'), state, metrics, pollCloud, psk, firmware],
};

export const hioLte: Command = lteGroup({
  before: [moduleConfig('lte')],
  metrics: (_modem, traffic) => trafficLines(traffic),
  test: ['cmd', 'prepare', 'bypass'],
});

export const hioInfo: Command = infoGroup(['ble-devaddr', 'ble-passkey']);

export const hioApp: Command = {
  word: 'app',
  help: 'The application.',
  run: groupHelp,
  children: [moduleConfig('app')],
};

function cloudMetrics(m: CloudMetrics): readonly string[] {
  return [
    `uplink messages: ${m.uplinkCount}`,
    `uplink fragments: ${m.uplinkFragments}`,
    `uplink bytes: ${m.uplinkBytes}`,
    `uplink errors: ${m.uplinkErrors}`,
    `uplink last ts: ${time(m.uplinkLast)}`,
    `downlink messages: ${m.downlinkCount}`,
    `downlink fragments: ${m.downlinkFragments}`,
    `downlink bytes: ${m.downlinkBytes}`,
    `downlink errors: ${m.downlinkErrors}`,
    `downlink last ts: ${time(m.downlinkLast)}`,
    `poll count: ${m.pollCount}`,
    `poll last ts: ${time(m.pollLast)}`,
  ];
}

function trafficLines(m: CloudMetrics): readonly string[] {
  return [
    `uplink messages: ${m.uplinkFragments}`,
    `uplink bytes: ${m.uplinkBytes}`,
    `uplink errors: ${m.uplinkErrors}`,
    `uplink last ts: ${time(m.uplinkLast)}`,
    `downlink messages: ${m.downlinkFragments}`,
    `downlink bytes: ${m.downlinkBytes}`,
    `downlink errors: ${m.downlinkErrors}`,
    `downlink last ts: ${time(m.downlinkLast)}`,
  ];
}

function downloadLines(download: FirmwareDownload | undefined): readonly string[] {
  if (download === undefined) {
    const missing = ['firmware id', 'target', 'type', 'downloaded'].map((name) => `${name}: not available`);
    return ['firmware update active: no', ...missing];
  }
  const { updateId, accepted, size } = download;
  const percent = Math.floor((accepted * 100) / size);
  return [
    'firmware update active: yes',
    `firmware id: ${uuidText(updateId)}`,
    'target: app',
    'type: chunk',
    `downloaded: ${accepted}/${size} bytes (${percent}%)`,
  ];
}

/** hio devices print 0 for "never"; `cloud metrics` of CHESTER prints -1. */
function time(at: DeviceTime): number {
  return at ?? 0;
}

function yesNo(yes: boolean): string {
  return yes ? 'yes' : 'no';
}
