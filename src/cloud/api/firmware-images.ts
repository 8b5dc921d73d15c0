/** Firmware images (cloud C-37). The API shows their metadata; their bytes are sent only to devices. */

import type { Static } from 'typebox';
import { FirmwareImage, ImageParams, NewFirmwareImage } from '../../contract/firmware.js';
import { MOST_IMAGES } from '../../contract/limits.js';
import { isLabel, LABEL_FORM, PageQuery, SpaceParams } from '../../contract/values.js';
import { isoTime } from '../../kernel/calendar.js';
import { isBuildImage, readImage } from '../../protocol/firmware-image.js';
import { findFlaw } from '../firmware/check-image.js';
import { IMAGES, type Image, type Images } from '../firmware/images.js';
import { ApiFault, notFound } from '../http/errors.js';
import { NoContent, operation, PageOf } from '../http/operation.js';
import type { Id } from '../store/store.js';
import { needWholeSpace } from './access.js';
import type { Family } from './family.js';
import { IDEMPOTENCY_ERRORS, IdempotencyHeaders } from './idempotency.js';
import { sendPage } from './pages.js';
import { Quota } from './quotas.js';

export const firmwareImages: Family = (routes, context) => {
  const { store, clock, ids, firmware } = context;
  const { images } = firmware;
  const collection = '/spaces/:space_id/firmware-images';
  const item = '/spaces/:space_id/firmware-images/:id';
  const quota = new Quota(
    context,
    (spaceId) => [IMAGES, spaceId],
    MOST_IMAGES,
    `the space already has ${MOST_IMAGES} firmware images, which is the maximum`,
  );

  routes.get(
    collection,
    operation({
      tag: 'Firmware',
      id: 'listFirmwareImages',
      summary: 'List firmware images',
      description: 'The metadata of the images of the space. Images themselves are sent only to devices.',
      params: SpaceParams,
      querystring: PageQuery,
      response: { 200: PageOf(FirmwareImage) },
    }),
    (request, reply) =>
      sendPage(context, request, reply, {
        read: (page) => images.list(request.spaceId, page),
        views: (listed) => listed.map(imageView),
      }),
  );

  routes.post(
    collection,
    operation({
      tag: 'Firmware',
      id: 'createFirmwareImage',
      summary: 'Upload a firmware image',
      description:
        'An image for virtual devices contains its bundle, name and version. For any other image, `version` is required. ' +
        'Files of other kinds, and images that are cut or have a wrong checksum, are rejected.',
      params: SpaceParams,
      headers: IdempotencyHeaders,
      body: NewFirmwareImage,
      response: { 201: FirmwareImage },
      errors: { ...IDEMPOTENCY_ERRORS, 409: `The space already has ${MOST_IMAGES} firmware images (\`quota\`).` },
    }),
    async (request, reply) => {
      needWholeSpace(request);
      const { content, bundle, name, version } = readUpload(request.body);
      const at = Math.floor(clock.wall);
      const image = images.describe(content, {
        id: ids.uuid(),
        spaceId: request.spaceId,
        bundle: bundle ?? null,
        name: name ?? null,
        version,
        createdAt: at,
      });
      const view = imageView(image);
      await quota.within(reply, request.spaceId, () =>
        store.commit([...request.receipt(view), ...images.put(image, content)]),
      );
      return reply.code(201).send(view);
    },
  );

  routes.get(
    item,
    operation({
      tag: 'Firmware',
      id: 'getFirmwareImage',
      summary: 'Read the metadata of a firmware image',
      description: 'Bundle, name, version, size and hash. The image itself is sent only to devices.',
      params: ImageParams,
      response: { 200: FirmwareImage },
    }),
    async ({ spaceId, params }) => imageView(await knownImage(images, spaceId, params.id)),
  );

  routes.delete(
    item,
    operation({
      tag: 'Firmware',
      id: 'deleteFirmwareImage',
      summary: 'Delete a firmware image',
      description: 'Updates to this image fail, unless their devices are already swapping.',
      params: ImageParams,
      response: { 204: NoContent },
    }),
    async (request, reply) => {
      needWholeSpace(request);
      const { id } = await knownImage(images, request.spaceId, request.params.id);
      await firmware.removeImage(request.spaceId, id);
      return reply.code(204).send();
    },
  );
};

/** @throws ApiFault 400 for a file of another kind, a damaged image, or a missing version */
function readUpload({ data, damaged, ...given }: Static<typeof NewFirmwareImage>) {
  // Base64 of an image has other letters, too.
  if (/^(?:[\da-f]{2})+$/i.test(data)) throw new ApiFault(400, 'the image in "data" is in hex digits, not in base64');
  const content = Buffer.from(data, 'base64');
  const flaw = damaged === true && isBuildImage(content) ? undefined : findFlaw(content);
  if (flaw !== undefined) throw new ApiFault(400, `the image in "data" ${flaw}`);
  const { bundle, name, version } = { ...given, ...labelsIn(content, given) };
  if (version === undefined) throw new ApiFault(400, 'body needs "version": the image does not contain one');
  return { content, bundle, name, version };
}

/**
 * The labels in an image for virtual devices.
 * @throws ApiFault 400 if one is not of the form that a request must have, or contradicts the request. Only the name may differ
 */
function labelsIn(
  content: Uint8Array,
  given: { readonly bundle?: string; readonly version?: string },
): ReturnType<typeof readImage> {
  const build = readImage(content);
  const problems = Object.entries(build ?? {}).flatMap(([field, text]) => {
    const found = `${field} in the image ${JSON.stringify(text)}`;
    if (!isLabel(text)) return [`${found} is not ${LABEL_FORM}`];
    const wanted = field === 'name' ? undefined : given[field as keyof typeof given];
    return wanted === undefined || wanted === text ? [] : [`${found} is not the ${field} ${JSON.stringify(wanted)}`];
  });
  if (problems.length > 0) throw new ApiFault(400, problems.join('; '));
  return build;
}

/** Finds an image. @throws ApiFault 404 if the space has no such image */
async function knownImage(images: Images, spaceId: Id, id: Id): Promise<Image> {
  const image = await images.find(spaceId, id);
  if (!image) throw notFound('firmware image');
  return image;
}

function imageView({ id, bundle, name, version, size, sha256, createdAt }: Image): Static<typeof FirmwareImage> {
  return { id, bundle, name, version, size, sha256, created_at: isoTime(createdAt) };
}
