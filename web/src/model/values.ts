/** The numbers in a report, with units that are derived from their names. Pure functions. */

export interface Reading {
  /** `hygrometer temperature` */
  readonly name: string;
  readonly value: number;
  /** Empty if the unit is not known. */
  readonly unit: string;
}

/**
 * Sections about the device itself. They do not count as readings, because the table of the fleet has separate columns for
 * them.
 */
const OWN = ['message', 'system', 'network', 'accelerometer'];

/** A section whose readings come after those of the sensors: narrow places show only the first ones. */
const LAST = 'backup';

/** Units by a part of a name. */
const UNITS: readonly (readonly [RegExp, string])[] = [
  [/temperature|thermometers?$|^dew_point$/, '°C'],
  [/humidity$/, '%'],
  [/voltage/, 'V'],
  [/^current(_load)?$/, 'mA'],
  [/^rsrp$/, 'dBm'],
  [/^(rsrq|snr)$/, 'dB'],
  [/^(uptime|duration)$/, 's'],
  [/pressure$/, 'hPa'],
  [/illuminance$/, 'lx'],
  [/altitude$/, 'm'],
  [/co2/, 'ppm'],
  [/wind_speed|^speed$/, 'm/s'],
  [/direction$/, '°'],
  [/^accel_[xyz]$/, 'm/s²'],
  [/radon/, 'Bq/m³'],
];

/**
 * From this value on, a voltage is in millivolts: no input of a device accepts 100 V, and Push, Meteo and Scale report
 * millivolts under the same names.
 */
const MILLIVOLTS = 100;

/**
 * Unit of a reading: that of the last word of its name. Numbers at the end are skipped, because the number of a sensor follows
 * its name.
 */
function unitOf(name: string, value: number): string {
  const unit = namedUnit(name);
  return unit === 'V' && Math.abs(value) >= MILLIVOLTS ? 'mV' : unit;
}

function namedUnit(name: string): string {
  for (const part of name.split(' ').reverse()) {
    const known = UNITS.find(([form]) => form.test(part));
    if (known) return known[1];
    // Only numbers are skipped: in `soil_sensors 1 moisture` the last word has no unit, and the words before it do not count.
    if (!/^\d+$/.test(part)) return '';
  }
  return '';
}

/** All numbers of a report except those about the device itself; of a series, only the latest. */
export function readingsOf(body: unknown): readonly Reading[] {
  if (!isObject(body)) return [];
  const { [LAST]: last, ...sections } = body;
  const ordered = [...Object.entries(sections), [LAST, last] as const];
  return ordered.flatMap(([section, inner]) => (OWN.includes(section) ? [] : numbersIn(section, inner)));
}

/** Name of a reading for narrow places: `thermometer` for a temperature, otherwise the last two words. */
export function shortName(name: string): string {
  const words = name.split(' ').filter((word) => !/^\d+$/.test(word));
  const isTemperature = words.at(-1) === 'temperature';
  return (isTemperature ? words.slice(0, -1).slice(-2) : words.slice(-2)).join(' ');
}

/** Signal strength in dBm; undefined if the report does not contain it. */
export function rsrpOf(body: unknown): number | undefined {
  return numberAt(body, ['network', 'parameter', 'rsrp']);
}

/** Voltage of the battery at rest in V; undefined if the report does not contain it. */
export function voltageOf(body: unknown): number | undefined {
  return numberAt(body, ['system', 'voltage_rest']);
}

function numbersIn(name: string, value: unknown): readonly Reading[] {
  if (typeof value === 'number') return [{ name: name.replaceAll('_', ' '), value, unit: unitOf(name, value) }];
  if (Array.isArray(value)) return value.flatMap((item, i) => numbersIn(`${name} ${i + 1}`, item));
  if (!isObject(value)) return [];
  const { measurements } = value;
  if (Array.isArray(measurements)) return latestOf(name, measurements);
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'events' || key === 'serial_number' || key === 'timestamp' ? [] : numbersIn(`${name} ${key}`, inner),
  );
}

/** The latest value of a series; if values are aggregated, the average. */
function latestOf(name: string, series: readonly unknown[]): readonly Reading[] {
  const latest = series.at(-1);
  if (typeof latest === 'number') return numbersIn(name, latest);
  if (!isObject(latest)) return [];
  const { avg, value } = latest;
  const plain = typeof avg === 'number' ? avg : value;
  if (typeof plain === 'number') return numbersIn(name, plain);
  const { timestamp: _, ...rest } = latest;
  return Object.entries(rest).flatMap(([key, inner]) => numbersIn(`${name} ${key}`, inner));
}

function numberAt(value: unknown, [key, ...rest]: readonly string[]): number | undefined {
  if (key === undefined) return typeof value === 'number' ? value : undefined;
  return isObject(value) ? numberAt(value[key], rest) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
