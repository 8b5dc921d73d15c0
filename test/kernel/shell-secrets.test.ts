/** Secrets in typed lines and in the output of a device (shell S-19). */
import { describe, expect, it } from 'vitest';
import { printedWithoutSecrets, withoutSecrets } from '../../src/kernel/shell-secrets.js';
import { packagedProfiles } from '../../src/profile/library.js';

const MASK = '********';
const TOKEN = '00112233445566778899aabbccddeeff';

describe('output of a device', () => {
  it.each([
    [`claim token: ${TOKEN}`, `claim token: ${MASK}`],
    [TOKEN.toUpperCase(), MASK],
    ['ble passkey: 123456', `ble passkey: ${MASK}`],
    ['lte config password "open sesame"', `lte config password ${MASK}`],
    [`lrw config nwkskey ${TOKEN}`, `lrw config nwkskey ${MASK}`],
  ])('is masked: %s', (line, shown) => {
    expect(printedWithoutSecrets('config show', 0, [line])).toEqual([shown]);
  });

  it.each([
    `serial number: 2159017985, ${TOKEN}0`,
    'claim token: (unset)',
    'lte config password ""',
    'lte config apn "hardwario"',
    'lrw config deveui 0011223344556677',
    '  password          :Get/Set the password',
    'app config interval-report 900',
  ])('is unchanged if it has no secret: %s', (line) => {
    expect(printedWithoutSecrets('config show', 0, [line])).toEqual([line]);
  });

  it('is masked completely if it is the bare value of a secret; an error message is not masked', () => {
    const dump = '00000000: 73 65 73 61 6d 65 00                              |sesame.          |';
    expect(printedWithoutSecrets('settings read lte/password', 0, [dump])).toEqual([MASK]);
    expect(printedWithoutSecrets('settings read lte/password', -2, ['Setting not found'])).toEqual([
      'Setting not found',
    ]);
    expect(printedWithoutSecrets('settings read lte/apn', 0, [dump])).toEqual([dump]);
  });
});

describe('a typed line', () => {
  it.each([
    ['lte config password "open sesame"', `lte config password ${MASK}`],
    ['lte config pass* sesame', `lte config pass* ${MASK}`],
    [`lrw config appkey ${TOKEN}`, `lrw config appkey ${MASK}`],
    ['settings write string lte/password sesame', `settings write string lte/password ${MASK}`],
    [' lte config apn iot.1nce.net ', 'lte config apn iot.1nce.net'],
    ['app config interval-*', 'app config interval-*'],
  ])('%s is shown as %s', (line, written) => expect(withoutSecrets(line)).toBe(written));
});

describe('a long text', () => {
  const many = 300_000;
  it.each([
    ['names of secrets', 'key'.repeat(many)],
    ['names of secrets after config', `x config ${'key'.repeat(many)}`],
    ['patterns after config', `x config ${'*'.repeat(many)}`],
    ['words config', 'config '.repeat(many)],
    ['names after settings read', `settings read ${'token '.repeat(many)}`],
    ['blanks', `key${' '.repeat(many)}`],
  ])('of many %s is read in one pass', (_, text) => {
    expect(withoutSecrets(`${text}\n`).length).toBeLessThanOrEqual(text.length);
    expect(printedWithoutSecrets(`${text}\n`, 0, [`${text}\n`])).toHaveLength(1);
  });
});

describe('the parameters of the packaged device types', () => {
  it('that are secret are recognised by their names', () => {
    const names = [...packagedProfiles().values()].flatMap(({ modules }) =>
      modules.flatMap(({ parameters }) => parameters.map(({ name }) => name)),
    );
    const secret = names.filter((name) => withoutSecrets(`x config ${name} value`).endsWith(MASK));
    expect([...new Set(secret)].sort()).toEqual(['appkey', 'appskey', 'nwkskey', 'passkey', 'password']);
  });
});
