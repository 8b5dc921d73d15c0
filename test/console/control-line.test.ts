import { describe, expect, it } from 'vitest';
import { CONTROL_COMMANDS } from '../../src/console/control-commands.js';
import { controlHelp } from '../../src/console/control-line.js';
import { carryOut, completions } from '../../src/console/line.js';
import type { Answer } from '../../src/console/member.js';
import { STEP_NAMES, STEPS } from '../../src/scenario/steps/index.js';
import { TOKEN } from '../support/cloud.js';
import { memberNamed, type TestFleet, testFleet } from '../support/fleet.js';

async function type(fleet: TestFleet, line: string, { name = 'clime-0001', secrets = false } = {}) {
  const parts: Answer[] = [];
  const files: Record<string, string> = { 'day.csv': 'time [s],temperature [°C]\n0,20\n60,21\n' };
  const readFile = (file: string) => {
    const text = files[file];
    if (text === undefined) throw new Error(`"${file}" cannot be read: the file does not exist`);
    return { file, text };
  };
  const member = memberNamed(fleet, name);
  const noted = (action: string): void => fleet.noted(member.serial, action);
  await carryOut(member, line, { secrets, readFile, noted }, (part) => parts.push(part));
  return parts;
}

const printed = async (...words: Parameters<typeof type>) => (await type(...words)).flatMap(({ lines }) => lines);

describe('a control command', () => {
  it.each([
    ['.sensor hygrometer.temperature 31.5', 'sensor: hygrometer.temperature = 31.5'],
    ['.sensor hygrometer.temperature free', 'sensor: hygrometer.temperature free'],
    ['.sensor hygrometer.temperature silent', 'sensor: hygrometer.temperature silent'],
    ['.sensor { hygrometer.temperature: 3, hygrometer.humidity: 4 }', 'hygrometer.humidity = 4'],
    ['.ramp hygrometer.temperature 40 30m', 'sensor: hygrometer.temperature to 40 within 30m'],
    ['.replay hygrometer.temperature day.csv', 'sensor: hygrometer.temperature from day.csv, 2 rows'],
    ['.button', 'button: int clicked once'],
    ['.button int 3', 'button: int clicked 3 times'],
    ['.button int 8s', 'button: int held for 8s'],
    ['.radio off', 'radio: off'],
    ['.antenna -121', 'antenna: RSRP -121 dBm'],
    ['.antenna { rsrp: -121, snr: -4 }', 'antenna: RSRP -121 dBm, SNR -4 dB'],
    ['.antenna free', 'antenna: free'],
    ['.battery new', 'battery: new'],
    ['.battery 5%', 'battery: 5% left'],
    ['.battery 3.2V', 'battery: 3.2 V'],
    ['.battery 3.2 V', 'battery: 3.2 V'],
    ['.line-power off', 'line-power: off'],
    ['.power-saving off', 'power-saving: off'],
    ['.modem lost-socket', 'modem: lost-socket'],
    ['.flash 0', 'flash: worn out'],
    ['.flash new', 'flash: new'],
    ['.clock 120ppm', 'clock: 120 ppm fast'],
    ['.clock -20ppm', 'clock: 20 ppm slow'],
    ['.clock 2h', 'clock: 2h ahead'],
    ['.clock -90s', 'clock: 1m30s behind'],
    ['.power-cycle', 'power-cycle'],
  ])('%s is answered with the description of its step', async (line, described) => {
    expect((await printed(testFleet(), line))[0]).toContain(described);
  });

  it('.battery says that the device does not use its battery while its power line is not cut', async () => {
    const fleet = testFleet({ clime: 1 });
    const used = ['battery: 5% left'];
    const note = expect.stringContaining('does not use its battery while the power line supplies it');
    expect(await printed(fleet, '.battery 5%')).toEqual([...used, note]);
    expect(await printed(fleet, '.battery new')).toEqual(['battery: new']);
    await printed(fleet, '.line-power off');
    expect(await printed(fleet, '.battery 5%')).toEqual(used);
  });

  it('.pulse is accepted by a device type that has inputs', async () => {
    const fleet = testFleet({ control: 1 });
    const [line] = await printed(fleet, '.pulse trigger.1.state 3 2s', { name: 'control-0001' });
    expect(line).toBe('pulse: trigger.1.state, 3 times, one every 2s');
  });

  it.each([
    ['.sensr x 1', '".sensr" is not a control command (did you mean ".sensor"?); see .help'],
    ['.toString', '".toString" is not a control command; see .help'],
    ['.', '"." is not a control command; see .help'],
    ['.sensor', 'usage: .sensor QUANTITY NUMBER | free | silent'],
    ['.sensor hygrometer.temperature warm', '"warm" is not a number, "free", "silent"'],
    ['.sensor hygrometer.temprature 3', 'is not a quantity of clime (did you mean "hygrometer.temperature"?)'],
    ['.radio', 'usage: .radio on | off'],
    ['.radio of', '"of" is not one of on or off (did you mean "off"?)'],
    ['.antenna -10', '"-10" is not a number from -156 to -44'],
    ['.antenna { rsrp', '"{ rsrp" has no closing "}"'],
    ['.replay hygrometer.temperature none.csv', '"none.csv" cannot be read: the file does not exist'],
    ['.sensor hygrometer.temperature 31,5', '"31,5" is not a number, "free"'],
    ['.ramp hygrometer.temperature 31,5 5m', '"31,5" is not a number'],
    ['.battery 3,2V', '"3,2" is not a'],
    ['.battery 5,5%', '"5,5%" is not a'],
    ['.antenna -121,5', '"-121,5" is not a number'],
    ['.clock 1h,5m', '"1h,5m" is not a jump'],
    ['.help battery', 'usage: .help'],
    ['.list all', 'usage: .list'],
    ['.clock soon', '"soon" is not a jump of a clock'],
    ['.power-cycle now', 'usage: .power-cycle'],
  ])('%s is rejected with a message', async (line, message) => {
    const [answer] = await type(testFleet(), line);
    expect(answer?.code).toBe(-1);
    expect(answer?.lines.join('\n')).toContain(message);
  });

  it('changes the reading of a sensor: the shell prints the fixed value', async () => {
    const fleet = testFleet();
    await type(fleet, '.sensor hygrometer.temperature 31.5');
    expect((await printed(fleet, 'hygro read'))[0]).toBe('Temperature: 31.50 C');
  });

  it('is completed with the words of the device type', () => {
    const fleet = testFleet();
    const of = (name: string, line: string) => completions(memberNamed(fleet, name), line);
    expect(of('clime-0001', '.button ')).toEqual(['int']);
    expect(of('clime-0001', '.pulse ')).toEqual([]);
    expect(of('control-0001', '.pulse ')[0]).toBe('counter.1.pulses');
    expect(of('control-0001', '.pulse trigger.1')).toEqual(['trigger.1.state']);
    expect(of('clime-0001', '.sensor hygrometer.t')).toEqual(['hygrometer.temperature']);
  });

  it('exists for every step that acts only on the device', () => {
    const reached = new Set(Object.values(CONTROL_COMMANDS).map(({ step }) => step as string));
    const outside = STEP_NAMES.filter((step) => ['network', 'device'].includes(STEPS[step].actsOn));
    expect(outside.filter((step) => !reached.has(step))).toEqual([]);
    expect(controlHelp()).toHaveLength(Object.keys(CONTROL_COMMANDS).length);
  });
});

describe('a line for the shell', () => {
  it('is answered without the claim token unless the console shows secrets', async () => {
    const fleet = testFleet();
    expect((await printed(fleet, 'info show')).join('\n')).not.toContain(TOKEN);
    expect(await printed(fleet, 'info claim-token')).toEqual(['claim token: ********']);
    expect(await printed(fleet, 'info claim-token', { secrets: true })).toEqual([`claim token: ${TOKEN}`]);
  });

  it('is answered without the access point password and the passkey, whichever command is used', async () => {
    const fleet = testFleet();
    for (const line of ['lte config password "open sesame"', 'ble config passkey 424242', 'config save']) {
      await type(fleet, line, { secrets: true });
    }
    expect(await printed(fleet, 'lte config password')).toEqual(['lte config password ********']);
    expect(await printed(fleet, 'settings read string lte/password')).toEqual(['********']);
    const said = [];
    for (const line of ['config show', 'lte config p*', 'info show', 'settings read hex lte/password']) {
      said.push(...(await printed(fleet, line)));
    }
    expect(said).toContain('ble passkey: ********');
    expect(said.join('\n')).not.toMatch(/sesame|424242/);
    expect(await printed(fleet, 'lte config password', { secrets: true })).toEqual([
      'lte config password "open sesame"',
    ]);
  });

  it('of more than 255 characters is not executed, which the console says in place of the silent shell', async () => {
    const fleet = testFleet();
    expect(await printed(fleet, `info serial-number${' '.repeat(237)}`)).toEqual([
      expect.stringContaining('serial number: '),
    ]);
    expect(await printed(fleet, `info serial-number${' '.repeat(238)}`)).toEqual([
      'the line has more than 255 characters; a device does not execute it',
    ]);
    expect(fleet.notes).toHaveLength(1);
  });

  it('with a long command is answered in parts, and ends when the device restarts', async () => {
    const fleet = testFleet({ clime: 1 });
    await fleet.clock.runUntil(60_000);
    const parts: Answer[] = [];
    const member = memberNamed(fleet, 'clime-0001');
    const options = { secrets: false, readFile: (file: string) => ({ file, text: '' }), noted: () => {} };
    await carryOut(member, 'batt measure', options, (part) => parts.push(part));
    expect(parts.map(({ more }) => more)).toEqual([true]);
    member.controls.powerCycle();
    await fleet.clock.runUntil(200_000);
    expect(parts.at(-1)).toEqual({ code: 0, lines: [], more: false });
  });
});

describe('the console action in the trace', () => {
  it.each([
    ['info show', 'info show'],
    ['.battery 5%', 'battery: 5% left'],
    [`lrw config appkey ${TOKEN}`, 'lrw config appkey ********'],
    [`gnss start ${TOKEN.toUpperCase()} 1`, 'gnss start ******** 1'],
    ['lte config password "open sesame"', 'lte config password ********'],
    ['lte config p* sesame', 'lte config p* ********'],
    ['ble config passkey 123456', 'ble config passkey ********'],
    ['settings write string lte/password sesame', 'settings write string lte/password ********'],
  ])('has no secrets, even on a console that shows them: %s', async (line, action) => {
    const fleet = testFleet();
    await type(fleet, line, { secrets: true });
    expect(fleet.notes).toEqual([[2_159_017_985, action]]);
  });

  it('is not written for a rejected line', async () => {
    const fleet = testFleet();
    for (const line of ['.nonsense', '.battery', '.replay hygrometer.temperature none.csv']) await type(fleet, line);
    expect(fleet.notes).toEqual([]);
  });
});

describe('the TAB key', () => {
  it.each([
    ['inf', ['info']],
    ['info ser', ['serial-number']],
    ['app config mo', ['mode']],
    ['app config mode ', ['lrw', 'lte', 'none']],
    ['app config mode l', ['lrw', 'lte']],
    ['app config backup-report-connected ', ['false', 'true']],
    ['app config interval-report ', []],
    ['app config mode lte ', []],
    ['tag config ena', ['enabled']],
    ['tag config enabled t', ['true']],
    ['tag config devices cl', ['clear']],
    ['config sh', ['show']],
    ['nothing here', []],
    ['info "ser', []],
    ['.rad', ['.radio']],
    ['.radio o', ['on', 'off']],
    ['.sensor hygrometer.t', ['hygrometer.temperature']],
    ['.sensor hygrometer.temperature f', ['free']],
    ['.nothing x', []],
  ])('completes %j with words of the device', (line, words) => {
    expect(completions(memberNamed(testFleet(), 'clime-0001'), line)).toEqual(words);
  });

  it('completes an empty line with every command of the shell', () => {
    const member = memberNamed(testFleet(), 'clime-0001');
    const help = member.shell('help', () => {}).lines.slice(3);
    expect(completions(member, '')).toEqual(help.map((line) => line.trim().split(/ +/)[0]));
  });
});
