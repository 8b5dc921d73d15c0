/**
 * The operations of the OpenAPI document, and valid requests for them, so that only the caller's rights decide about the
 * status.
 */
import type { Document } from '../../../test/support/openapi.js';
import { PASSWORD } from './cloud.js';
import type { Things } from './things.js';

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly template: string;
  /** The tag of the document. */
  readonly chapter: string;
  readonly access: 'credential' | 'claim-token' | 'anyone';
  readonly hasBody: boolean;
  /** Status of a successful answer. */
  readonly success: number;
}

export function operationsOf({ paths }: Document): readonly Operation[] {
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods).map(([method, operation]): Operation => {
      const { operationId: id = '', tags: [chapter = ''] = [], security = [], requestBody, responses } = operation;
      const schemes = security.flatMap((scheme) => Object.keys(scheme));
      const access = schemes.includes('claimToken') ? 'claim-token' : schemes.length > 0 ? 'credential' : 'anyone';
      const success = Number(Object.keys(responses).find((status) => status.startsWith('2')));
      return {
        id,
        method: method.toUpperCase(),
        template,
        chapter,
        access,
        hasBody: requestBody !== undefined,
        success,
      };
    }),
  );
}

/** Whether the path names a thing of a space. */
export function namesThing({ template }: Operation): boolean {
  return /\{space_id\}.*\{/.test(template);
}

/** The path with ids in it. */
export function pathOf({ template }: Operation, things: Things): string {
  return template.replaceAll(/(\w+)\/\{(\w+)\}/g, (_, collection: string, name: string) => {
    if (name === 'space_id') return `${collection}/${things.space}`;
    if (name === 'serial_number') return `${collection}/${things.serial}`;
    // The cast is safe because a collection without a field in `things` gives the id "undefined", which no thing has.
    return `${collection}/${name === 'delivery_id' ? things.delivery : things[collection as keyof Things]}`;
  });
}

let names = 0;

/** The body of a request. @param named the things in the path */
export function bodyOf({ id, hasBody }: Operation, things: Things, named: Things): unknown {
  if (!hasBody) return undefined;
  names += 1;
  const script = 'function main() { return null; }';
  const image = { firmware_id: things.images };
  const bodies: Readonly<Record<string, unknown>> = {
    createSpace: { name: 'new' },
    updateSpace: { name: 'renamed' },
    changePassword: { password: PASSWORD, new_password: PASSWORD },
    bindLogin: { space_id: named.space },
    createDevice: {
      name: 'new',
      serial_number: String(2_200_000_000 + names),
      token: `a${String(names).padStart(31, '0')}`,
      tags: [{ id: things.tags }],
    },
    updateDevice: { name: 'renamed' },
    queueConfig: ['app config interval-report 60'],
    queueCommands: ['info show'],
    queueData: { raw: 'AA==' },
    createFirmwareUpdateOfDevice: image,
    createFirmwareUpdate: { device_id: things.devices, ...image },
    createMessage: { device_id: things.devices, type: 'shell', body: ['info show'] },
    createTag: { name: `new-${names}`, color: '#000000' },
    updateTag: { color: '#00000f' },
    createFirmwareImage: { data: 'AQID', version: 'v1' },
    createConnector: { name: `new-${names}`, transformation: script },
    updateConnectorByName: { name: `hook-${things.suffix}` },
    updateConnector: { trigger: null },
    previewConnector: { message_id: things.messages },
    createVariable: { name: `new_${names}`, value: '1' },
    updateVariable: { value: '2' },
    inviteUser: { email: `new-${names}@example.org` },
    updateUser: { name: 'renamed' },
    createKey: { name: 'new' },
    updateKey: { name: 'renamed' },
    login: { email: `stranger-${names}@example.org`, password: PASSWORD },
    acceptInvitation: { token: 'f'.repeat(36), email: `stranger-${names}@example.org`, password: PASSWORD },
    startDeviceSession: { fw_version: 'v1.0.0' },
    sendUplink: { type: 'data', body: { n: names } },
    acknowledgeDownlink: { id: things.keys },
  };
  if (!(id in bodies)) throw new Error(`operation "${id}" has no body here: add one to ${import.meta.url}`);
  return bodies[id];
}
