/**
 * Units of the values in reports, by their paths. Reports contain no units; these are the ones of the catalogue of
 * applications, but with one unit for each quantity: a voltage is always in volts, a pressure in hectopascals.
 */

/** How a value is shown. */
export interface Unit {
  /** `°C`; empty for a count, and if the unit is not known. */
  readonly unit: string;
  /** Number by which a reported value is multiplied. */
  readonly factorOf: (value: number) => number;
}

/**
 * A form of paths, the unit that is shown, and factors for other units in which it is reported. The first form that fits a path
 * counts. Paths have no numbers of sensors: `devices.data.current`.
 */
type Rule = readonly [form: RegExp, unit: string, factorOf?: Unit['factorOf']];

/** Some device types report millivolts below the same names; no supply of a device has 100 V. */
const fromMillivolts = (value: number) => (Math.abs(value) >= 100 ? 0.001 : 1);
/** Pascals, hectopascals (millibars) or kilopascals of a barometer. */
const fromPascals = (value: number) => (value >= 10_000 ? 0.01 : value < 200 ? 10 : 1);

const RULES: readonly Rule[] = [
  // Signals of sensors, not supplies.
  [/^(analog_channels\.raw_|pyranometer\.)/, 'mV'],
  [/^analog_channels\.calibration|^people_counter\.|soil_sensors\.moisture$|signal_quality$|energy_(cold|hot)$/, ''],
  [/^devices\.data\.current/, 'A'],
  [/^devices\.data\.voltage/, 'V'],
  [/power_apparent$/, 'kVA'],
  [/power_reactive$/, 'kvar'],
  [/power_factor/, ''],
  [/^devices\.data\.power(_l\d)?$/, 'kW'],
  [/(^|[._])power(_l\d)?$/, 'W'],
  [/energy(_in|_out)?$/, 'kWh'],
  [/current(_load)?$/, 'mA'],
  [/voltage/, 'V', fromMillivolts],
  [/temperature|thermometers?$|dew_point$|(^|[._])temp(_inlet|_outlet)?$/, '°C'],
  [/humidity$|_soc$/, '%'],
  [/co2_percent$/, 'vol. %'],
  [/co2/, 'ppm'],
  [/radon_concentration|^radon_probe\.concentration/, 'Bq/m³'],
  [/num_pm/, '1/cm³'],
  [/(^|\.)(pm\d|tsp$)/, 'µg/m³'],
  [/pressure$/, 'hPa', fromPascals],
  [/^lambrecht_weather_station\.illuminance$/, 'lx', () => 1000],
  [/illuminance$|light_intensity$/, 'lx'],
  [/altitude$|distance$|^ultrasonic_ranger$/, 'm'],
  [/rainfall_intensity$/, 'mm/s'],
  [/rainfall$/, 'mm'],
  [/(^|[._])speed(_avg)?$|velocity$/, 'm/s'],
  [/direction(_avg)?$/, '°'],
  [/gas_flow$/, 'l/min'],
  [/flow_h$/, 'm³/h'],
  [/flow_m$/, 'm³/min'],
  [/flow_s$/, 'm³/s'],
  [/total_(negative|net|positive)$/, 'm³'],
  [/frequency$/, 'Hz'],
  [/acceleration_[xyz]$|accel_[xyz]$/, 'm/s²'],
  [/(^|\.)(rsrp|rssi)$/, 'dBm'],
  [/(^|\.)(rsrq|snr)$/, 'dB'],
  [/uptime$|duration$|scan_time$/, 's'],
];

/** @param path `hygrometer.temperature` */
export function unitOf(path: string): Unit {
  const [, unit = '', factorOf = () => 1] = RULES.find(([form]) => form.test(path)) ?? [];
  return { unit, factorOf };
}

/** The product without the errors of binary fractions. */
export function inUnit(value: number, factor: number): number {
  return factor === 1 ? value : Number((value * factor).toPrecision(12));
}
