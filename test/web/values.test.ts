import { expect, it } from 'vitest';
import { readingsOf } from '../../web/src/model/values.js';

it('a voltage is shown in the unit in which the device type reports it', () => {
  const volts = { backup: { line_voltage: 24.36, batt_voltage: 3.997 } };
  const millivolts = { backup: { line_voltage: 23_833, batt_voltage: 3997 } };
  expect(readingsOf(volts).map(({ value, unit }) => `${value} ${unit}`)).toEqual(['24.36 V', '3.997 V']);
  expect(readingsOf(millivolts).map(({ value, unit }) => `${value} ${unit}`)).toEqual(['23833 mV', '3997 mV']);
});
