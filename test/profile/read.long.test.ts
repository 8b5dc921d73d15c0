/** Mistakes in profiles of every kind, and in every line. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InputError } from '../../src/input/problems.js';
import { readProfile } from '../../src/profile/read.js';
import { FILES, problemsOf, unchanged } from './fixtures.js';

describe('a mistake in a profile', () => {
  const control = 'profiles/control.yaml';
  it.each<[string, string, string, string, string?]>([
    ['a parameter without a type', 'interval-poll: { type: int, ', 'interval-poll: { ', 'a parameter needs "type"'],
    [
      'an unknown type',
      'send-timeout: { type: int',
      'send-timeout: { type: ints',
      '"ints" is not one of int, float, bool',
    ],
    [
      'a range the wrong way round',
      'range: [1, 3600], default: 120',
      'range: [3600, 1], default: 120',
      'a range is a list',
    ],
    ['an enum default that is not a value', 'default: none', 'default: nine', '"nine" is not one of its values'],
    [
      'a module that is not described',
      'tag, cloud, lrw',
      'tag, clout, lrw',
      '"clout" of "order" is not one of the modules',
    ],
    [
      'a parameter of the wrong type',
      'send_timeout: send-timeout',
      'send_timeout: mode',
      'is not a parameter of type int: it is of type enum',
    ],
    [
      'a set-up line that sets nothing',
      'app config event-report-rate 30',
      'app config event-rate 30',
      'is not a line that sets a configuration parameter',
    ],
    [
      'an unknown model',
      'model: daily, mean: 21.6',
      'model: dayly, mean: 21.6',
      '"dayly" is not one of constant, daily',
    ],
    ['a missing option', 'mean: 21.6, ', '', 'this quantity needs "mean"'],
    ['a mean out of range', 'mean: 21.6', 'mean: 99', '99 is outside of the range from -30 to 60'],
    [
      'a buffer of no size',
      'hygrometer:\n    windows: { samples: 32',
      'hygrometer:\n    windows: { samples: 0',
      '"0" is not a whole number from 1 to 1024',
    ],
    ['a task for an unknown sensor', 'sample: [hygrometer,', 'sample: [hydrometer,', '"hydrometer" is not one of'],
    [
      'an unknown parameter in a task',
      'every: interval-sample }',
      'every: interval-sampel }',
      'is not a configuration parameter of this device type (did you mean "interval-sample"?)',
    ],
    ['a task without an interval', 'every: interval-sample }', 'every: 0s }', '"0s" is not a duration above 0s'],
    ['a task that does nothing', '- { sample: [battery],', '- {', 'a task needs either "sample" or "aggregate"'],
    [
      'aggregating what has no windows',
      'aggregate: [hygrometer,',
      'aggregate: [backup, hygrometer,',
      '"backup" cannot be aggregated: it has no windows',
    ],
    [
      'an event list of an unknown quantity',
      'of: hygrometer.temperature',
      'of: hygrometer.heat',
      '"hygrometer.heat" is not a quantity of a sensor',
    ],
    [
      'an event list without its parameter',
      'report: hygro-t-alarm-hi-report }',
      'report: hygro-hi }',
      '"hygro-hi" is not a configuration parameter',
    ],
    ['edges of something that has none', 'of: trigger.state', 'of: voltage.voltage', 'a daily has no edges', control],
    [
      'a contact that is closed all day',
      'stays: 10m',
      'stays: 3h',
      '"stays" must be shorter than a day divided by',
      control,
    ],
    [
      'a numbered parameter that is missing',
      'channel-mode-8: *channel-mode',
      '',
      'enum parameter "channel-mode-8" is missing',
      control,
    ],
    [
      'a key that the decoder does not have',
      'voltage_load: last',
      'voltage_lode: last',
      '"system.voltage_lode" is not a key of the decoder (did you mean "system.voltage_load"?)',
    ],
    [
      'an unknown key in the order of the body',
      'backup, network, thermometer',
      'backup, netwrok, thermometer',
      '"netwrok" is not a key of the decoder (did you mean "network"?)',
    ],
    ['a source without a name', 'uptime: fact uptime', 'uptime: fact', '"fact" is not a source'],
    ['an unknown fact', 'uptime: fact uptime', 'uptime: fact downtime', '"downtime" is not a fact: version, sequence'],
    [
      'a sensor of another list',
      'rssi: last ble_tag.rssi',
      'rssi: last battery.voltage_rest',
      'is not about the sensor of this list, "ble_tag"',
    ],
    [
      'one of several sensors outside of a list',
      'temperature: last thermometer.temperature',
      'temperature: last ble_tag.temperature',
      'is not about a sensor that every device has exactly once',
    ],
    ['a list without a sensor', '- $each: soil_sensor\n      serial', '- serial', 'a list in a body needs "$each"'],
    [
      'windows where the decoder has no list',
      'uptime: fact uptime',
      'uptime: windows hygrometer.temperature',
      '"system.uptime" must be a $tsp of min, max, avg, mdn',
    ],
    [
      'events where the decoder has windows',
      'measurements: windows hygrometer.temperature',
      'measurements: events hygrometer',
      'must be a $tso of type, value',
    ],
    [
      'a codec that is not the published one',
      '- current_load:',
      '- current_lode:',
      '"92fd351b4a8c1979" is not the hash of this document, which is "',
    ],
    [
      'a modifier that does not exist',
      'voltage_load: [$div: 1000',
      'voltage_load: [$dif: 1000',
      '"$dif" of "system.voltage_load" is not a modifier',
    ],
    ['a schema that is not a list of fields', '- current_load:', '- 17', '"17" is not a field or modifier'],
    ['an invalid hash', 'hash: 92fd351b4a8c1979', 'hash: 0x92fd', 'is not a codec hash: 16 lower-case hex digits'],
  ])('is reported with its place and the reason: %s', (_, from, to, message, file = 'profiles/clime.yaml') => {
    const problems = problemsOf({ file, change: [[from, to]] });
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
    expect(problems.every((problem) => problem.line > 0 && problem.column > 0)).toBe(true);
  });

  it('causes only an InputError, whichever line it is in', () => {
    const lines = (FILES['profiles/control.yaml'] ?? '').split('\n');
    fc.assert(
      fc.property(fc.nat(lines.length - 1), fc.constantFrom('', '- 1', 'x: [', '  null', '? {a: b}'), (at, instead) => {
        const source = lines.with(at, instead).join('\n');
        try {
          readProfile(source, 'profiles/control.yaml', (path) => FILES[path], unchanged);
        } catch (error) {
          expect(error).toBeInstanceOf(InputError);
        }
      }),
      { numRuns: 30 },
    );
  });
});

describe('a mistake in a section that only some device types have', () => {
  it.each<[string, string, string, string, string]>([
    ['events without a delay', 'push', 'jitter: 0%', 'event_delay: ~', '"timing" needs "event_delay" and "event_rate"'],
    ['an unknown flag', 'current', 'flag: channel-active', 'flag: active', 'bool parameter "active-1" is missing'],
    [
      'unknown points of a calibration',
      'current',
      'points: channel-calib',
      'points: cal',
      'float parameter "cal-x0-1" is missing',
    ],
    [
      'presses of no button',
      'push',
      'clicks: { model: presses, per_day: 8, by: shop }',
      'clicks: { model: pulses, per_hour: 8 }',
      'must be presses of one sensor',
    ],
    [
      'a press list without a limit',
      'push',
      'of: [button.clicks, button.holds], capacity: 8',
      'of: [button.clicks, button.holds]',
      'needs either "capacity" or "period"',
    ],
    [
      'presses that close windows which are not there',
      'push',
      'of: [button.clicks, button.holds], capacity: 8',
      'of: [button.clicks, button.holds], period: interval-aggreg',
      'their sensor has no such windows',
    ],
    [
      'a log of a sensor without one',
      'motion',
      'samples: log motion',
      'samples: log thermometer',
      'a sensor with a log',
    ],
    ['a total of what is not counted', 'motion', 'total motion.motion_left', 'total battery.voltage_rest', 'a counter'],
    ['a factor on a total', 'push', 'total button.clicks', 'total button.clicks * 10', 'is not a source'],
    ['a state of a button', 'push', 'events: events button if any', 'events: state button', 'an edge event list'],
    [
      'a calibration of nothing',
      'current',
      'mode: calibration analog_channel',
      'mode: calibration battery',
      'analog_channel',
    ],
    ['a vane without steps', 'meteo', 'step: 22.5', 'step: 0', 'must be more than 0'],
    [
      'a door that stays open',
      'control',
      'stays: 10m',
      'stays: 2h',
      '"stays" must be shorter than a day divided by "per_day" and',
    ],
    ['an unknown rhythm', 'range', 'by: home', 'by: barn', '"barn" is not one of even, home, office, shop or shifts'],
    [
      'a counter that counts nothing',
      'control',
      'model: pulses, per_hour: 84, by: home',
      'model: daily, mean: 84',
      '"pulses" is a daily',
    ],
    [
      'a counter with another quantity',
      'motion',
      'model: scaled, of: detect_left, factor: 0.49',
      'model: constant, value: 1',
      'but "motion_left" is a constant',
    ],
    [
      'a mean of pulses',
      'control',
      'windows: { kind: count, windows: 64 }',
      'windows: { samples: 64, windows: 64, missing: skipped }',
      'the windows of a counter need a "kind": count, total, amount or log',
    ],
    [
      'an alarm of a mean direction',
      'clime',
      'windows: { samples: 32, windows: 32, missing: spoils }',
      'windows: { kind: direction, samples: 32, windows: 32 }',
      'an alarm is evaluated with each sample of a window: its sensor needs "windows" without a "kind"',
    ],
    ['too many pulses', 'control', 'per_hour: 84', 'per_hour: 1e12', '"per_hour" must be at most 1000000000'],
    ['a tank that never lasts', 'range', 'lasts: 5d', 'lasts: 0s', 'a tank must last longer than 0s'],
    ['a click that does nothing known', 'control', 'double: [poll]', 'double: [pol]', 'did you mean "poll"?'],
    ['an unknown kind of windows', 'meteo', 'kind: amount', 'kind: sum', '"sum" is not one of direction, count'],
    [
      'hidden parameters that are not there',
      'motion',
      'parameters: [motion-sens,',
      'parameters: [sens,',
      '"sens" of "hidden"',
    ],
  ])('is rejected: %s', (_, name, from, to, expected) => {
    const messages = problemsOf({ file: `profiles/${name}.yaml`, change: [[from, to]] }).map(({ message }) => message);
    expect(messages.join('\n')).toContain(expected);
  });
});
