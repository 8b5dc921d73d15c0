/**
 * Names of the values in reports, as people say them. Reports have the names of the firmware: `w1_thermometers`, `eest`. A value
 * without a rule keeps its name.
 */

/** A part of a name in a report, with blanks for dots and underscores, and what is shown for it. All rules apply, in their order. */
const RULES: readonly (readonly [part: RegExp, shown: string])[] = [
  [/^(?:system|battery) voltage rest$/, 'battery voltage at rest'],
  [/^(?:system|battery) voltage load$/, 'battery voltage under load'],
  [/^(?:system|battery) current load$/, 'battery current under load'],
  [/^(?:system|state) uptime$/, 'uptime'],
  [/^network parameter rsrp$/, 'signal strength (RSRP)'],
  [/^network parameter rsrq$/, 'signal quality (RSRQ)'],
  [/^network parameter snr$/, 'signal to noise (SNR)'],
  [/^network parameter ecl$/, 'coverage level (ECL)'],
  [/^network parameter eest$/, 'energy estimate (EEST)'],
  [/^accelerometer accel(?:eration)? ([xyz])$/, 'acceleration $1'],
  [/^thermometer temperature$/, 'thermometer'],
  [/^backup line/, 'line'],
  [/^backup batt\b/, 'backup battery'],
  [/^w1 thermometers/, '1-Wire thermometer'],
  [/^rtd /, 'RTD '],
  [/^tc thermometer/, 'thermocouple'],
  [/^(analog channel|soil sensor|ble tag|button|device)s\b/, '$1'],
  [/^ble tag/, 'Bluetooth tag'],
  [/^(device \d+) data/, '$1'],
  [/^(button \d+) count (click|hold)$/, '$1 $2s'],
  [/^iaq sensor/, 'air quality'],
  [/^lambrecht weather/, 'Lambrecht'],
  [/^sensecap/, 'SenseCAP'],
  [/^sps30 num/, 'SPS30 number'],
  [/^sps30/, 'SPS30'],
  [/^cubic pm/, 'Cubic'],
  [/^wmbus/, 'wM-Bus'],
  [/\bpm(\d+) (\d)$/, 'PM$1.$2'],
  [/\bpm(\d+)$/, 'PM$1'],
  [/\btsp$/, 'TSP'],
  [/\bco2(?: conc| percent)?$/, 'CO₂'],
  [/\bbat soc$/, 'battery charge'],
  [/\bbat\b/, 'battery'],
  [/\btemp\b/, 'temperature'],
  [/\bfeedin\b/, 'feed-in'],
  [/\bconsume\b/, 'consumed'],
  [/\braw (mean|rms)$/, '$1, raw'],
  [/\brms\b/, 'RMS'],
  [/\brssi$/, 'signal (RSSI)'],
  [/\beps\b/, 'EPS'],
  [/\bpv(\d)/, 'PV$1'],
  [/\bl([123])$/, 'L$1'],
];

/** @param path the keys of a value and the numbers of sensors, such as `w1_thermometers 1` */
export function nameOf(path: readonly string[]): string {
  const words = path.join(' ').replaceAll('_', ' ');
  return RULES.reduce((name, [part, shown]) => name.replace(part, shown), words);
}
