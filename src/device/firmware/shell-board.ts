/** The board as shell commands see it (shell/equipment.ts): present readings, the test load of the battery, the position. */
import { noise } from '../../kernel/random.js';
import { positionsByModem } from '../hardware/identity.js';
import type { BackupModule, Position, Probe, ShellBoard, WeatherReading } from '../shell/equipment.js';
import type { ShellFirmware } from './shell-equipment.js';

export function makeBoard(firmware: ShellFirmware): ShellBoard {
  const read = makeReader(firmware);
  return {
    quantity: read,
    weather: () => readWeather(firmware),
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
    probes: () => readProbes(firmware),
    button: (which) => which === 'int' && firmware.hardware.buttonPressed,
    setLed: () => {
      // A virtual board has no LEDs, and no command reads their state.
    },
    setBatteryLoad: (on) => {
      const { shellMemory, hardware, uptime } = firmware;
      // The test load only takes charge, which is counted when the load is switched again. It does not change readings: the
      // battery sensor always returns both voltages, at rest and under load.
      if (shellMemory.loadSince !== undefined) hardware.spent('test-load', uptime - shellMemory.loadSince);
      shellMemory.loadSince = on ? uptime : undefined;
    },
    position: () => findPosition(firmware),
    backup: () => readBackup(firmware),
  };
}

function makeReader(
  firmware: ShellFirmware,
): (sensor: string, quantity: string, number?: number) => number | undefined {
  return (sensor, quantity, number) => firmware.measurements.read(sensor, quantity, firmware.clock.wall, number);
}

/** Readings of the METEO module; undefined if the device has none, or if it does not answer. */
function readWeather(firmware: ShellFirmware): WeatherReading | undefined {
  const { measurements, clock } = firmware;
  const gauge = measurements.find('rain_gauge');
  const windSpeed = measurements.read('anemometer', 'speed', clock.wall);
  const windDirection = measurements.read('vane', 'direction', clock.wall);
  if (gauge === undefined || windSpeed === undefined || windDirection === undefined) return undefined;
  measurements.look(clock.wall, firmware.readUnixTime());
  const each = gauge.spec.windows?.each ?? 1;
  return { rainfall: measurements.memory.sinceWindow(gauge, 0) * each, windSpeed, windDirection };
}

function readProbes({ measurements, hardware, clock }: ShellFirmware): readonly Probe[] {
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

function readBackup(firmware: ShellFirmware): BackupModule | undefined {
  const { supplyModule } = firmware.profile;
  const read = makeReader(firmware);
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

/** The device's position: a place in Bohemia that depends on its serial number. */
function findPosition({ hardware }: ShellFirmware): Position {
  const { serial } = hardware;
  const place = (index: number, from: number, to: number) => from + (to - from) * noise(serial, index);
  return {
    latitude: place(1, 49.4, 50.6),
    longitude: place(2, 13, 16),
    altitude: place(3, 200, 600),
    byModem: positionsByModem(serial),
  };
}
