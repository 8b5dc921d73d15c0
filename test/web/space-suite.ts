/** The pages of the whole space: downlinks, inspector, administration. */
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { seal, tokenBytes } from '../../src/protocol/flap/envelope.js';
import { FIRST, LAST, POLL } from '../../src/protocol/flap/packet.js';
import { contentFingerprint } from '../../src/protocol/hashes.js';
import { encodeUp } from '../../src/protocol/messages/index.js';
import { violationsOf } from './console.js';
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
export function spaceSuite(here: () => World, open: (fragment: string) => Promise<Page>, part: Part): void {
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
        expect(await page.getByText(/\d+ delivered: half within/).count()).toBe(1);
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
