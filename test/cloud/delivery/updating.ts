/** A firmware update of a device whose messages the test sends. */
import type { DeviceSession } from '../../../src/cloud/delivery/device-session.js';
import { jobOf, type UpdateJob } from '../../../src/cloud/firmware/job.js';
import { writeImage } from '../../../src/protocol/firmware-image.js';
import {
  type DownloadFirmware,
  encodeUp,
  parseDown,
  type UploadFirmware,
} from '../../../src/protocol/messages/index.js';
import { uuidBytes } from '../../../src/protocol/uuid.js';
import { SERIAL, testCloud } from '../../support/cloud.js';

/** Size of the image in bytes. */
export const SIZE = 1000;

/** A device whose messages the test sends, with a scheduled update. */
export async function updating({
  version = 'v1.0.0',
  label = 'v2.0.0',
  product,
}: {
  version?: string;
  label?: string;
  product?: string;
} = {}) {
  const cloud = await testCloud();
  await cloud.addDevice();
  const session = (await cloud.core.load(SERIAL)) as DeviceSession;
  const { firmware } = cloud.core;
  const content = writeImage({ bundle: 'a', name: 'b', version: 'v2.0.0' }, SIZE);
  const about = { id: '0197a3b1-0000-7000-8000-000000000001', bundle: 'a', name: 'b', version: label };
  const image = firmware.images.describe(content, { ...about, spaceId: cloud.spaceId, createdAt: 0 });
  await cloud.store.commit(firmware.images.put(image, content));
  const begin = (fw_version: string) =>
    cloud.core.accept(
      session,
      encodeUp({ kind: 'create-session', session: { fw_version, ...(product && { product_name: product }) } }),
    );
  const take = async (): Promise<DownloadFirmware | undefined> => {
    const message = await cloud.core.take(session);
    const down = message && parseDown(message);
    if (down?.kind === 'set-session') {
      await cloud.core.confirm(session, 'final-ack');
      return take();
    }
    return down?.kind === 'download-firmware' ? down : undefined;
  };
  await begin(version);
  const { id } = await firmware.schedule(await cloud.device(), image);
  /** Takes a chunk and confirms it. */
  const receive = async () => {
    const chunk = await take();
    await cloud.core.confirm(session, 'final-ack');
    return chunk;
  };
  const report = (type: string, more: Partial<UploadFirmware> = {}) =>
    cloud.core.accept(
      session,
      encodeUp({ kind: 'upload-firmware', target: 'app', type, updateId: uuidBytes(id), ...more }),
    );
  return {
    ...{ cloud, session, image, id, begin, take, receive, report },
    /** Receives the first chunk and announces the swap. */
    swap: async () => {
      await receive();
      await report('swap', { offset: SIZE });
    },
    /** Sends application data, which are the first message after the steps of a new session. */
    sendData: () => cloud.core.accept(session, { kind: 'decoded-data', body: {} }),
    job: async (): Promise<UpdateJob> => {
      const row = await cloud.store.record('firmware', cloud.spaceId, id);
      if (row === undefined) throw new Error('no update');
      return jobOf(row);
    },
  };
}
