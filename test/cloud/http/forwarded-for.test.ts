/** Addresses of callers behind a proxy, in the spellings that proxies use. */
import { describe, expect, it } from 'vitest';
import { PASSWORD, person } from '../api/people.js';
import { service } from '../api/service.js';

const EMAIL = 'eva@example.org';

async function behindProxy(trustProxy = ['127.0.0.1', '10.0.0.0/8'], rateLimit: number | null = null) {
  const made = await service({ trustProxy, rateLimit });
  const eva = await person(made, EMAIL);
  const login = (password: string, forwarded: string) =>
    made.call('POST', '/v2/auth/login', { email: EMAIL, password }, { 'x-forwarded-for': forwarded });
  /** The address that is recorded for a login with this header. */
  const recorded = async (forwarded: string): Promise<string> => {
    await login(PASSWORD, forwarded);
    return (await eva.call('GET', '/v2/auth/logins')).json.at(-1).from;
  };
  return { ...made, login, recorded };
}

describe('the address of a caller behind a proxy', () => {
  it.each([
    ['192.0.2.1:5678', '192.0.2.1'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::2]', '2001:db8::2'],
    ['2001:db8::3', '2001:db8::3'],
    [' 192.0.2.2:1 , 10.1.2.3:80', '192.0.2.2'],
    ['192.0.2.9:1, 192.0.2.3:2, 10.1.2.3', '192.0.2.3'],
    ['192.0.2.4:65535,,10.1.2.3', '192.0.2.4'],
  ])('has no port and no brackets: %s', async (header, address) => {
    expect(await (await behindProxy()).recorded(header)).toBe(address);
  });

  it.each(['unknown', '_hidden', '192.0.2', '192.0.2.1:x', '[192.0.2.1]:80', '::ffff:192.0.2.8:99', '<b>'])(
    'is that of the proxy if the entry is not an address: %s',
    async (header) => {
      const { recorded } = await behindProxy();
      expect(await recorded(header)).toBe('127.0.0.1');
      expect(await recorded(`192.0.2.1, ${header}, 10.1.2.3`)).toBe('10.1.2.3');
    },
  );

  it('stays the same with each port, so that wrong passwords and requests without a key are limited', async () => {
    const { login, call } = await behindProxy(['127.0.0.1'], 20);
    const guesses: number[] = [];
    for (let n = 0; n < 7; n++) guesses.push((await login('wrong', `192.0.2.1:${5000 + n}`)).status);
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    const strangers: number[] = [];
    for (let n = 0; n < 22; n++) {
      const headers = { 'x-api-key': `wrong-${n}`, 'x-forwarded-for': `[2001:db8::${n}]:${6000 + n}` };
      strangers.push((await call('GET', '', undefined, headers)).status);
    }
    expect(strangers.slice(18)).toEqual([401, 401, 429, 429]);
  });

  it('is not read from the header if the proxy is not trusted', async () => {
    expect(await (await behindProxy([])).recorded('192.0.2.1:5678')).toBe('127.0.0.1');
  });
});
