import { describe, expect, it } from 'vitest';
import { configLayout } from '../../../src/device/config/layout.js';
import { helpLines, readLine } from '../../../src/device/config/text.js';
import { CONNECTED, DEVEUI, INTERVAL, LTE_MODE, MODE, modules, THRESHOLD } from './specs.js';

describe('the read line', () => {
  const layout = configLayout(modules());

  it.each([
    ['app', 'interval-report', 1800, 'app config interval-report 1800'],
    ['app', 'hygro-t-alarm-hi-thr', 25, 'app config hygro-t-alarm-hi-thr 25.00'],
    ['app', 'backup-report-connected', true, 'app config backup-report-connected true'],
    ['app', 'mode', 'lte', 'app config mode "lte"'],
    ['lte', 'apn', 'iot.1nce.net', 'lte config apn "iot.1nce.net"'],
    ['lte', 'apn', '', 'lte config apn ""'],
    ['lrw', 'deveui', '0000000000000000', 'lrw config deveui 0000000000000000'],
    ['tag', 'devices addr 2', '00c0ffee0001', 'tag config devices addr 2 00c0ffee0001'],
  ])('of %s %s is that of the firmware', (module, name, value, line) => {
    const item = layout.find(module, name);
    expect(item && readLine(item, value)).toBe(line);
  });
});

describe('the help lines', () => {
  it('of an int show its range', () => {
    expect(helpLines(INTERVAL)).toEqual(['  interval-report   :Get/Set report interval in seconds. <30~86400>']);
  });

  it('of a float show its limits cut to whole numbers', () => {
    expect(helpLines(THRESHOLD)).toEqual(['  hygro-t-alarm-hi-thr:Threshold. <-40.00~125.00>']);
  });

  it('of a bool show both values', () => {
    expect(helpLines(CONNECTED)).toEqual(['  backup-report-connected:Report when power comes back. <true/false>']);
  });

  it('of an enum list the values, indented by 21 spaces', () => {
    expect(helpLines(MODE)).toEqual([
      '  mode              :Radio.',
      '                     - none',
      '                     - lte',
      '                     - lrw',
    ]);
  });

  it('of a string keep the lines of its text', () => {
    expect(helpLines(LTE_MODE)).toEqual(['  mode              :Network modes,', '    in order of preference']);
  });

  it('of a hex parameter show its length', () => {
    expect(helpLines(DEVEUI)).toEqual(['  deveui            :Device EUI. (len: 8 B)']);
  });
});
