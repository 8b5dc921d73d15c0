/** The firmware as shell commands see it. Each command line gets a new host. */
import type { Instant, Millis, UnixSeconds } from '../../kernel/time.js';
import { ENOTSUP, OK } from '../../protocol/errno.js';
import type { DeviceConfig } from '../config/device-config.js';
import type { DeviceFacts, Hardware } from '../hardware/hardware.js';
import { positionsByModem } from '../hardware/identity.js';
import type { Spool, SpooledMessage } from '../hardware/spool.js';
import type { Position, ShellMemory } from '../shell/equipment.js';
import type {
  BackupModule,
  CloudState,
  DeviceIdentity,
  FirmwareDownload,
  FirmwareImages,
  LteState,
  OptionalEquipment,
  Probe,
  ShellHost,
  ShellSensors,
  ShellSpool,
} from '../shell/host.js';
import type { Application } from './application.js';
import type { CloudThread } from './cloud-thread.js';
import { type AttachedHost, lineOf, receiverOf } from './shell-attached.js';
import {
  channelsOf,
  type EquipmentHost,
  inputsOf,
  motionOf,
  positionOf,
  tagsOf,
  weatherOf,
} from './shell-equipment.js';
import { downloadRequest } from './updater.js';

/** The firmware as its shell needs it. */
export interface ShellFirmware extends EquipmentHost, AttachedHost {
  readonly hardware: Hardware;
  readonly spool: Spool;
  readonly facts: DeviceFacts;
  readonly cloud: CloudThread;
  readonly application: Application;
  readonly download: FirmwareDownload | undefined;
  readonly shellMemory: ShellMemory;
  readonly now: Instant;
  /** Time since the boot. */
  readonly uptime: Millis;
  moveClock(time: UnixSeconds): void;
  /** Unix seconds on the device's clock at `at`, with fractions. */
  exactTime(at: Instant): UnixSeconds;
}

export function shellHostOf(firmware: ShellFirmware): ShellHost {
  return Object.assign(new FirmwareShellHost(firmware), equipmentOf(firmware));
}

function equipmentOf(firmware: ShellFirmware): OptionalEquipment {
  return {
    spool: firmware.profile.timing.spoolSize && spoolOf(firmware),
    channels: channelsOf(firmware),
    inputs: inputsOf(firmware),
    motion: motionOf(firmware),
    tags: tagsOf(firmware),
    line: lineOf(firmware),
    receiver: receiverOf(firmware),
  };
}

class FirmwareShellHost implements Omit<ShellHost, keyof OptionalEquipment> {
  readonly #firmware: ShellFirmware;
  readonly sensors: ShellSensors;

  constructor(firmware: ShellFirmware) {
    this.#firmware = firmware;
    this.sensors = sensorsOf(firmware);
  }

  get memory(): ShellMemory {
    return this.#firmware.shellMemory;
  }

  get identity(): DeviceIdentity {
    return this.#firmware.hardware.identity;
  }

  get config(): DeviceConfig {
    return this.#firmware.config;
  }

  uptime(): Millis {
    return this.#firmware.uptime;
  }

  unixTime(): UnixSeconds {
    return this.#firmware.unixTime();
  }

  setUnixTime(time: UnixSeconds): void {
    this.#firmware.moveClock(time);
  }

  cloud(): CloudState {
    const { cloud } = this.#firmware;
    return {
      initialized: cloud.initialized,
      lastSeen: cloud.counters.lastSeen,
      metrics: cloud.counters,
      failover: this.#firmware.hardware.link.failover,
      download: this.#firmware.download,
    };
  }

  lte(): LteState {
    const { modem, subscriber, type } = this.#firmware.hardware;
    const started = modem.state !== 'disabled' && modem.state !== 'boot';
    const { counters } = modem;
    const traffic = this.#firmware.cloud.counters;
    return {
      attached: modem.registered,
      registration: started
        ? { status: modem.registered ? 'registered-home' : 'searching', mode: modem.registered ? 'lte-m' : 'unknown' }
        : undefined,
      evaluation: modem.evaluation(),
      fsm: modem.state,
      attachAttempt: modem.attempt,
      wait: modem.wait,
      imei: started ? subscriber.imei : undefined,
      imsi: started ? subscriber.imsi : undefined,
      iccid: started ? subscriber.iccid : undefined,
      modemFirmware: started ? type.profile.identity.modemFirmware : undefined,
      metrics: {
        attachCount: counters.attaches,
        attachFailCount: counters.failed,
        attachDuration: counters.duration,
        attachLast: counters.lastAt,
        attachLastDuration: counters.lastDuration,
        uplinkCount: traffic.uplinkFragments,
        uplinkBytes: traffic.uplinkBytes,
        uplinkErrors: traffic.uplinkErrors,
        uplinkLast: traffic.uplinkLast,
        downlinkCount: traffic.downlinkFragments,
        downlinkBytes: traffic.downlinkBytes,
        downlinkErrors: traffic.downlinkErrors,
        downlinkLast: traffic.downlinkLast,
        connectedDuration: counters.connected,
        connectedLastDuration: counters.lastConnected,
      },
    };
  }

  requestSample(): void {
    this.#firmware.application.measureNow('sample');
  }

  requestMeasurement(sensor: string): void {
    this.#firmware.application.measureSensor(sensor);
  }

  requestAggregate(): void {
    this.#firmware.application.measureNow('aggregate');
  }

  requestReport(): void {
    this.#firmware.application.reportNow('shell');
  }

  requestPoll(): void {
    this.#firmware.cloud.requestPoll();
  }

  requestReconnect(): void {
    this.#firmware.hardware.modem.reconnect();
  }

  requestFirmware(id: string): number {
    if (this.#firmware.profile.bootloader === undefined) return ENOTSUP;
    this.#firmware.cloud.requestFirmware(downloadRequest(id));
    return OK;
  }

  position(): Position {
    return positionOf(this.#firmware);
  }

  setPositioning(on: boolean): void {
    const { modem, serial } = this.#firmware.hardware;
    if (positionsByModem(serial)) modem.positioning = on;
  }

  images(): FirmwareImages {
    const { bootloader, build } = this.#firmware.hardware;
    return {
      version: build.version,
      confirmed: bootloader?.confirmed ?? true,
      requested: bootloader?.requested?.version,
      slotSize: this.#firmware.profile.bootloader?.slotSize,
    };
  }

  confirmImage(): void {
    this.#firmware.hardware.bootloader?.confirm();
  }

  setLed(): void {
    // A virtual board has no LEDs, and no command reads their state.
  }

  setBatteryLoad(on: boolean): void {
    const { memory } = this;
    // The test load only takes charge, which is counted when the load is switched again. It does not change readings: the
    // battery sensor always returns both voltages, at rest and under load.
    if (memory.loadSince !== undefined) this.#firmware.hardware.spent('test-load', this.uptime() - memory.loadSince);
    memory.loadSince = on ? this.uptime() : undefined;
  }
}

function reader(firmware: ShellFirmware): (sensor: string, quantity: string, number?: number) => number | undefined {
  const { wall } = firmware.clock;
  return (sensor, quantity, number) => firmware.measurements.read(sensor, quantity, wall, number);
}

function sensorsOf(firmware: ShellFirmware): ShellSensors {
  const read = reader(firmware);
  return {
    quantity: read,
    weather: () => weatherOf(firmware),
    thermometer: () => read('thermometer', 'temperature'),
    accelerometer: () => {
      const x = read('accelerometer', 'accel_x');
      const y = read('accelerometer', 'accel_y');
      const z = read('accelerometer', 'accel_z');
      const orientation = read('accelerometer', 'orientation');
      if (x === undefined || y === undefined || z === undefined || orientation === undefined) return undefined;
      return { x, y, z, orientation };
    },
    battery: () => {
      const rest = read('battery', 'voltage_rest');
      const load = read('battery', 'voltage_load');
      return rest === undefined || load === undefined ? undefined : { rest, load };
    },
    hygrometer: () => {
      const temperature = read('hygrometer', 'temperature');
      const humidity = read('hygrometer', 'humidity');
      return temperature === undefined || humidity === undefined ? undefined : { temperature, humidity };
    },
    probes: () => probesOf(firmware),
    button: (which) => which === 'int' && firmware.hardware.buttonPressed,
    backup: () => backupOf(firmware),
  };
}

function probesOf({ measurements, hardware, clock }: ShellFirmware): readonly Probe[] {
  const probes: Probe[] = [];
  for (let number = 1; ; number++) {
    const probe = measurements.find(PROBE, number);
    if (probe === undefined) return probes;
    probes.push({
      serialNumber: hardware.environment.serialNumber(probe.sensor, probe.number),
      temperature: measurements.read(PROBE, 'temperature', clock.wall, number),
    });
  }
}

const PROBE = 'w1_thermometer';

function backupOf(firmware: ShellFirmware): BackupModule | undefined {
  const { supplyModule } = firmware.profile;
  const read = reader(firmware);
  const lineVoltage = read('backup', 'line_voltage');
  const batteryVoltage = read('backup', 'batt_voltage');
  if (supplyModule === undefined || lineVoltage === undefined || batteryVoltage === undefined) return undefined;
  const { memory } = firmware.measurements;
  const line = memory.plan.lists.find(({ spec }) => spec.name === 'backup');
  return {
    serialNumber: firmware.hardware.serial,
    ...supplyModule,
    connected: line !== undefined && memory.isOn(line),
    lineVoltage,
    batteryVoltage,
  };
}

/** The message that `cloud spool fake` adds: UPLOAD_DATA with the decoder hash 0 and an empty map as its body. */
const MADE_UP = Uint8Array.from([6, 0, 0, 0, 0, 0, 0, 0, 0, 0xbf, 0xff]);

function spoolOf(firmware: ShellFirmware): ShellSpool {
  const { spool, config, profile, facts, now } = firmware;
  const { spoolSize } = profile.timing;
  const capacity = spoolSize ? config.number(spoolSize.module, spoolSize.name) : 0;
  const drop = (lost: readonly SpooledMessage[], why: string): void => {
    for (const { uplink } of lost) facts.dropped(uplink, 'data', why);
  };
  return {
    count: spool.count,
    messages: spool.messages.map(({ message }) => message),
    remove: (n) => {
      const message = spool.messages[n];
      if (message === undefined) return;
      spool.remove(message);
      drop([message], 'spool cleaned');
    },
    fake: (count) => {
      for (let i = 0; i < count; i++) {
        const uplink = facts.made('data', MADE_UP);
        // The command pauses for 2 ms after each message.
        const stored = firmware.exactTime(now) + i * 0.002;
        drop(spool.add({ uplink, message: MADE_UP, stored }, capacity), 'spool full');
      }
    },
    clean: () => drop(spool.clear(), 'spool cleaned'),
  };
}
