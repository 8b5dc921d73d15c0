/** The pages of the whole space: downlinks, inspector, administration. */
import type { Browser, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { FIRST, LAST, POLL } from '../../src/protocol/flap/packet.js';
import { contentFingerprint } from '../../src/protocol/hashes.js';
import { encodeUp } from '../../src/protocol/messages/index.js';
import { openConsole, violationsOf } from './console.js';
import type { Part } from './shared-console.js';
import type { World } from './world.js';

const TOKEN = '00112233445566778899aabbccddeeff';
/** A message with which a device uploads its configuration. */
const MESSAGE = encodeUp({
  kind: 'upload-config',
  hash: '00'.repeat(8),
  lines: ['app config mode "lte"', '<b>bold</b>'],
});

/** @param open opens a page of the console, such as `#/fleet` */
export function spaceSuite(
  browser: () => Browser,
  here: () => World,
  open: (fragment: string) => Promise<Page>,
  part: Part,
): void {
  describe('the downlinks of the space', () => {
    if (part === 'main') {
      it('are grouped by the reason of their wait, and leave the groups when they are delivered', async () => {
        const { service, gate, time } = here();
        const page = await open('#/downlinks');
        await service.client.sendCommands(gate.id, ['info hw-variant']);
        await service.client.sendCommands(gate.id, ['info fw-name']);
        await page.getByRole('heading', { name: 'Waits for the next contact of the device (1)' }).waitFor();
        await page.getByRole('heading', { name: 'Behind other downlinks of the device (1)' }).waitFor();
        const lane = page.locator('.lane', { hasText: 'info hw-variant' });
        await lane.getByText('waiting: now').waitFor({ state: 'attached' });
        await time.advance('70m');
        await page.getByRole('heading', { name: 'On their way (0)' }).waitFor();
        await lane.locator('.lane-text', { hasText: /^answered after / }).waitFor();
        await lane.getByRole('button', { name: 'Details of info hw-variant' }).click();
        await lane.locator('pre', { hasText: 'info hw-variant' }).waitFor();
        expect(await page.getByText(/\d+ delivered in all: half within/).count()).toBe(1);
      });
    } else {
      it('have bars that divide their time among the causes that the cloud knows', async () => {
        const page = await open('#/downlinks');
        const cause = page.getByRole('button', { name: /^next contact of the device \d+ % of the time/ });
        await expect.poll(() => page.locator('.bars').textContent()).toMatch(/: next contact of the device \d/);
        await cause.focus();
        await page.keyboard.press('Enter');
        expect(await cause.getAttribute('aria-pressed')).toBe('true');
        expect(await page.locator('.bar-parts > span').count()).toBeGreaterThan(0);
        expect(await page.getByText('The cloud knows when a device made contact').count()).toBe(1);
      });
    }
  });

  describe('the inspector', () => {
    if (part === 'main') {
      it('decodes a datagram: envelope, flags, message, and the check of its tag', async () => {
        const packet = { flags: FIRST | LAST | POLL, sequence: 7, data: MESSAGE };
        const datagram = seal(packet, 2_159_017_985, tokenBytes(TOKEN), 'base64');
        const page = await open('#/inspector');
        await page.getByLabel('Bytes in hex or base64').fill(Buffer.from(datagram).toString('latin1'));
        await page.getByText('not checked').waitFor();
        await page.getByLabel(/^Claim token/).fill(TOKEN);
        await page.getByText('valid for this claim token', { exact: true }).waitFor();
        const text = (await page.locator('.sections').textContent()) ?? '';
        for (const part of ['2159017985', 'FLxP', 'UPLOAD_CONFIG', 'app config mode', '<b>bold</b>'])
          expect(text).toContain(part);
        expect(text).toContain(contentFingerprint(Buffer.from(Buffer.from(datagram).toString('latin1'), 'base64')));
      });
    } else {
      it('shows a body as CBOR, and a message for invalid texts', async () => {
        const page = await open('#/inspector');
        await page.getByLabel('Kind').selectOption('body');
        const bytes = page.getByLabel('Bytes in hex or base64');
        await bytes.fill('a2 00 18 2a 61 61 9f f5 ff');
        await expect.poll(() => page.locator('.sections pre').textContent()).toBe('{\n  0: 42,\n  "a": [true]\n}');
        await bytes.fill('a2 0');
        expect(await page.getByRole('alert').textContent()).toBe('The text has an odd number of hex digits: 3.');
        await bytes.fill('a2');
        await page.getByText('invalid').waitFor();
      });
    }
  });

  describe('the administration', () => {
    if (part === 'main') {
      it('creates a tag, and deletes it after a confirmation', async () => {
        const page = await open('#/administration/tags');
        await page.getByText('New tag').click();
        await page.getByLabel('Name').fill('attic');
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('cell', { name: 'attic', exact: true }).waitFor();
        await page.getByRole('button', { name: 'Delete attic' }).click();
        await page.getByRole('button', { name: 'Yes' }).click();
        await page.getByRole('cell', { name: 'attic', exact: true }).waitFor({ state: 'detached' });
        expect((await here().service.client.tags()).map(({ name }) => name)).toEqual(['cold']);
      });

      it('keeps what was entered in a form after a link and a reload, without secrets, until it is discarded', async () => {
        const page = await open('#/fleet');
        await page.getByText('Register a device').click();
        await page.getByLabel('Name', { exact: true }).fill('freezer-1');
        await page.getByLabel('Claim token').fill(TOKEN);
        await page.getByLabel('cold').check();
        await page.getByRole('link', { name: 'Overview' }).click();
        await page.getByRole('heading', { name: 'Overview' }).waitFor();
        await page.goBack();
        await page.reload();
        await page.getByText('What you entered before is back, without secrets and files.').waitFor();
        const values = () =>
          Promise.all([
            page.getByLabel('Name', { exact: true }).inputValue(),
            page.getByLabel('Claim token').inputValue(),
            page.getByLabel('cold').isChecked(),
          ]);
        expect(await values()).toEqual(['freezer-1', '', true]);
        expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain(TOKEN);
        await page.getByRole('button', { name: 'Discard' }).click();
        await page.reload();
        await page.getByText('Register a device').click();
        expect(await values()).toEqual(['', '', false]);
      });

      it('shows a new key once', async () => {
        const page = await open('#/administration/keys');
        await page.getByText('New key').click();
        await page.getByLabel('Name').fill('partner');
        await page.getByRole('combobox', { name: 'Access' }).selectOption('read');
        await page.getByRole('button', { name: 'Create' }).click();
        const [, secret = ''] = /shown again: (\S+)/.exec((await page.locator('output').textContent()) ?? '') ?? [];
        const answer = await fetch(`${here().service.api}/v2/spaces`, { headers: { 'x-api-key': secret } });
        expect(answer.status).toBe(200);
        await page.reload();
        await page.getByRole('cell', { name: 'partner', exact: true }).waitFor();
        expect(await page.getByText(secret).count()).toBe(0);
      });
    } else {
      it('escapes characters in names that change the direction of writing, even in the question before a deletion', async () => {
        const { client } = here().service;
        const tag = await client.createTag({ name: '\u202Eelbat\u202C', color: '#808080' });
        const page = await open('#/administration/tags');
        await page.getByRole('button', { name: 'Delete \\u202eelbat\\u202c' }).click();
        await page.getByText('Delete the tag "\\u202eelbat\\u202c"').waitFor();
        await page.locator('button:focus', { hasText: 'No' }).press('Escape');
        await page.locator('button:focus', { hasText: 'Delete' }).press('Enter');
        await page.getByRole('alertdialog').waitFor();
        expect(await page.locator('main').textContent()).not.toContain('\u202E');
        await client.deleteTag(tag.id);
      });

      it('changes a tag in a dialog, which returns the focus when it closes', async () => {
        const { client } = here().service;
        const { id } = await client.createTag({ name: 'loft', color: '#808080' });
        const page = await open('#/administration/tags');
        await page.getByRole('button', { name: 'Change loft' }).click();
        const dialog = page.getByRole('dialog', { name: 'Change loft' });
        expect(await violationsOf(page)).toEqual([]);
        await dialog.getByLabel('Name').press('Escape');
        await page.locator('button:focus', { hasText: 'Change' }).press('Enter');
        await dialog.getByLabel('Name').fill('attic');
        await dialog.getByLabel('Access of its keys').selectOption('read');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('cell', { name: 'attic', exact: true }).waitFor();
        expect(await page.locator('button:focus').getAttribute('aria-label')).toBe('Change attic');
        const changed = { id, name: 'attic', color: '#808080', access_type: 'read' };
        expect(await client.tags()).toContainEqual(expect.objectContaining(changed));
        await client.deleteTag(id);
      });

      it('keeps the changes of a dialog that Escape closes, until they are saved or cancelled', async () => {
        const { client } = here().service;
        const { id } = await client.createVariable({ name: 'kept', value: '1', comment: 'old' });
        const page = await open('#/administration/variables');
        const dialog = page.getByRole('dialog');
        const change = async () => {
          await page.getByRole('button', { name: 'Change kept' }).click();
          return dialog.getByLabel('Comment').inputValue();
        };
        expect(await change()).toBe('old');
        await dialog.getByLabel('Comment').fill('new');
        await dialog.getByLabel('Value', { exact: true }).fill('a secret, perhaps');
        await dialog.getByLabel('Comment').press('Escape');
        expect(await change()).toBe('new');
        expect(await dialog.getByLabel('Value', { exact: true }).inputValue()).toBe('1');
        expect(await violationsOf(page)).toEqual([]);
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        expect(await change()).toBe('old');
        await dialog.getByLabel('Comment').fill('newest');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('cell', { name: 'newest' }).waitFor();
        expect(await change()).toBe('newest');
        expect(await dialog.getByRole('button', { name: 'Discard' }).count()).toBe(0);
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await client.deleteVariable(id);
      });

      it('keeps an unsaved script of a connector, which does not replace the change of another user', async () => {
        const { client } = here().service;
        const script = (n: number) => `const main = () => ({ url: 'https://hook.invalid/${n}' });`;
        const common = { triggers: ['data'], direction: 'up', tags: [] } as const;
        const { id } = await client.createConnector({ ...common, name: 'kept', transformation: script(1) });
        const page = await open('#/administration/connectors');
        const area = page.locator('.detail textarea');
        const reopened = async () => {
          // After a reload, the connector is still open.
          await page.reload();
          return area.inputValue();
        };
        await page.getByRole('button', { name: 'Open kept' }).click();
        await area.fill(script(2));
        expect(await reopened()).toBe(script(2));
        await client.updateConnector(id, { transformation: script(3) });
        expect(await reopened()).toBe(script(2));
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('alert').waitFor();
        expect((await client.connector(id)).transformation).toBe(script(3));
        await page.getByRole('button', { name: 'Discard the changes' }).click();
        expect(await reopened()).toBe(script(3));
        await page.getByText('Latest deliveries').waitFor();
        await open('#/administration/tags');
        await client.deleteConnector(id);
      });

      it('creates a variable for the device whose name the user enters, and changes the variable', async () => {
        const { client } = here().service;
        const page = await open('#/administration/variables');
        await page.getByText('New variable').click();
        await page.getByLabel('Name', { exact: true }).fill('hall');
        await page.getByLabel('Value', { exact: true }).fill('3');
        await page.getByLabel(/^Device/).fill('gate-9999');
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByText('The space has no device "gate-9999".').waitFor();
        await page.getByLabel(/^Device/).fill('gate-0001');
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('button', { name: 'Change hall' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Value', { exact: true }).fill('4');
        await dialog.getByLabel('Comment').fill('moved');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('cell', { name: 'moved' }).waitFor();
        const changed = { device_id: here().gate.id, name: 'hall', value: '4', comment: 'moved', environment: null };
        expect(await client.variables()).toEqual([expect.objectContaining(changed)]);
      });

      it('does not send texts of a variable that the user has not changed', async () => {
        const { client } = here().service;
        // Text fields of a page change line ends, and the page does not know a secure value.
        const two = await client.createVariable({ name: 'two', value: 'two\r\nlines', comment: 'two\nlines' });
        const secret = await client.createVariable({ name: 'secret', value: 'first', secure: true });
        await client.lockVariable((await client.createVariable({ name: 'locked', value: '1' })).id);
        const page = await open('#/administration/variables');
        for (const name of ['two', 'secret']) {
          await page.getByRole('button', { name: `Change ${name}` }).click();
          await page.getByRole('dialog').getByLabel('Environment').fill(`of ${name}`);
          await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
          await page.getByRole('cell', { name: `of ${name}` }).waitFor();
        }
        expect(await client.variable(two.id)).toMatchObject({
          ...{ value: 'two\r\nlines', comment: 'two\nlines', environment: 'of two' },
        });
        expect(await client.variable(secret.id)).toMatchObject({ secure: true, environment: 'of secret' });
        expect(await page.getByRole('button', { name: 'Change locked' }).count()).toBe(0);
      });

      it('sends only what the user has changed, and reads the table again after a rejected change', async () => {
        const { client } = here().service;
        const { id } = await client.createVariable({ name: 'shared', value: '1', comment: 'old' });
        const page = await open('#/administration/variables');
        const dialog = page.getByRole('dialog');
        await page.getByRole('button', { name: 'Change shared' }).click();
        await client.updateVariable(id, { comment: 'of another user' });
        await dialog.getByLabel('Value', { exact: true }).fill('2');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('cell', { name: 'of another user' }).waitFor();
        expect(await client.variable(id)).toMatchObject({ value: '2', comment: 'of another user' });
        await page.getByRole('button', { name: 'Change shared' }).click();
        await client.lockVariable(id);
        await dialog.getByLabel('Comment').fill('too late');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.getByText('is locked').waitFor();
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        const unlock = page.getByRole('button', { name: 'Unlock shared' });
        await unlock.click();
        await page.getByRole('button', { name: 'Change shared' }).waitFor();
        await client.lockVariable(id);
        await page.getByRole('button', { name: 'Delete shared' }).click();
        await page.getByRole('button', { name: 'Yes' }).click();
        await unlock.waitFor();
      });

      it('previews a connector with the latest message', async () => {
        const page = await open('#/administration/connectors');
        await page.getByText('New connector').click();
        await page.getByLabel('Name').fill('forward');
        await page.getByLabel('cold').check();
        await page.getByRole('button', { name: 'Create' }).click();
        await page.getByRole('button', { name: 'Open forward' }).click();
        await page.getByRole('button', { name: /^Preview/ }).click();
        await expect.poll(() => page.locator('pre').textContent()).toContain('https://example.com/hook');
      });
    }
  });

  if (part === 'main') {
    describe('the terminal for several devices', () => {
      it('sends a line to all selected devices, and shows equal answers together', async () => {
        const page = await open('#/terminal');
        await page.getByRole('searchbox').fill('tag/cold');
        await page.getByText('2 devices are selected').waitFor();
        await page.getByText('Local shells exist only for the virtual devices of a run').waitFor();
        await page.locator('.xterm').click();
        await page.keyboard.type('info fw-name');
        await page.keyboard.press('Enter');
        await page.getByText('Waiting for 2 answers').waitFor();
        await here().time.advance('70m');
        const screen = page.locator('.xterm-rows');
        await expect.poll(() => screen.textContent()).toMatch(/2 × cellar-0001…0002\s*firmware name: CHESTER Clime/);
      });
    });
  } else {
    describe('the presenter mode', () => {
      it('shows no controls, explains the wall, and follows the keys of a remote control', async () => {
        const { api, client } = here().service;
        const { page, context, complaints } = await openConsole(browser(), here().service);
        const controls = () =>
          page.locator('button:not(.card):visible, select:visible, input:visible, nav:visible').count();
        await page.goto(`${api}/?present#/overview`);
        await page.getByText('Each square is a device.').waitFor();
        expect([await controls(), await violationsOf(page)]).toEqual([0, []]);
        await page.keyboard.press('PageDown');
        await page.getByRole('heading', { name: 'Downlinks' }).waitFor();
        await page.locator('.causes button').first().waitFor();
        expect(await page.locator('.fold:visible').count()).toBe(0);
        expect(await violationsOf(page)).toEqual([]);
        // Without a run, the page Run is left out.
        await page.keyboard.press('PageDown');
        await page.getByText('Each square is a device.').waitFor();
        await page.goto(`${api}/?present#/devices/${(await client.devices({ limit: 1 }))[0]?.id}`);
        await page.locator('.figures .number').first().waitFor();
        expect(await controls()).toBe(0);
        await page.keyboard.press('PageDown');
        await page.getByText('Each square is a device.').waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('link', { name: 'Present' }).waitFor();
        expect([new URL(page.url()).search, complaints]).toEqual(['', []]);
        await context.close();
      });
    });

    describe('a browser set to reduced motion', () => {
      /** Pictures of the wall while devices make contact, without repetitions. */
      const picturesOf = async (page: Page) => {
        const recorded = page.evaluate<number>(`new Promise((resolve) => {
          const pictures = new Set();
          const end = performance.now() + 2000;
          const look = () => {
            pictures.add(document.querySelector('.wall canvas').toDataURL());
            if (performance.now() < end) requestAnimationFrame(look);
            else resolve(pictures.size);
          };
          look();
        })`);
        await here().time.advance('70m');
        return recorded;
      };

      it('shows no flashes on the wall, and no travelling dots', async () => {
        const { page, context } = await openConsole(browser(), here().service);
        const motionOfDot = async () => {
          await page.goto(`${here().service.api}/#/downlinks`);
          await page.locator('.traveller').first().waitFor();
          return page.evaluate('getComputedStyle(document.querySelector(".traveller")).transitionDuration');
        };
        await page.locator('.wall canvas').waitFor();
        await page.getByText('on time').first().waitFor();
        await page.waitForTimeout(1_000);
        expect(await picturesOf(page)).toBeGreaterThan(1);
        await page.emulateMedia({ reducedMotion: 'reduce' });
        await page.waitForTimeout(1_500);
        expect(await picturesOf(page)).toBe(1);
        expect(await motionOfDot()).toBe('0s');
        await page.emulateMedia({ reducedMotion: 'no-preference' });
        expect(await motionOfDot()).toBe('0.8s');
        await context.close();
      });
    });

    describe('unsent input', () => {
      it('of a downlink, a terminal and the inspector is there after a link and Back', async () => {
        const page = await open(`#/devices/${here().cellar.id}/queue`);
        await page.getByLabel('Kind').selectOption('config');
        await page.getByLabel('Lines').fill('app config interval-report 600');
        await page.getByRole('link', { name: 'Terminal', exact: true }).first().click();
        await page.getByRole('searchbox').fill('cellar');
        await page.locator('.xterm').click();
        await page.keyboard.type('info sh');
        await page.getByRole('link', { name: 'Inspector' }).click();
        await page.getByLabel('Bytes in hex or base64').fill('a200');
        for (let n = 0; n < 2; n++) await page.goBack();
        await expect.poll(() => page.getByLabel('Lines').inputValue()).toBe('app config interval-report 600');
        expect(await page.getByLabel('Kind').inputValue()).toBe('config');
        await page.goForward();
        await expect.poll(() => page.locator('.xterm-rows').textContent()).toMatch(/info.sh/);
        expect(await page.getByRole('searchbox').inputValue()).toBe('cellar');
        await page.goForward();
        await expect.poll(() => page.getByLabel('Bytes in hex or base64').inputValue()).toBe('a200');
      });

      it('is forgotten when the user signs out', async () => {
        const { page, context } = await openConsole(browser(), here().service);
        await page.goto(`${here().service.api}/#/inspector`);
        await page.getByLabel('Bytes in hex or base64').fill('a200');
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.locator('.sign-in input').first().waitFor();
        expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('a200');
        await context.close();
      });
    });

    describe('the selection of devices for the terminal', () => {
      it('forgets a deleted device, and notices a new one', async () => {
        const { client } = here().service;
        const create = async (name: string, serial_number: string) =>
          client.createDevice({ name, serial_number, token: serial_number.padStart(32, 'c') });
        const first = await create('spare-0001', '3000000001');
        const page = await open('#/terminal');
        await page.getByRole('searchbox').fill('spare');
        await page.getByText('1 device is selected').waitFor();
        const second = await create('spare-0002', '3000000002');
        await page.getByText('2 devices are selected').waitFor();
        await client.deleteDevice(first.id);
        await page.getByText('1 device is selected').waitFor();
        await client.deleteDevice(second.id);
        await page.getByText('0 devices are selected').waitFor();
      });
    });
  }
}
