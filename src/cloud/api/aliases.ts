/**
 * Addresses that real clients use, and the ones that the routes have (cloud API gaps, 7). Only the path is rewritten, before
 * routing: behind it there is one API.
 */

/** Stands for a space id in a legacy path, which has none: that of the credential (see auth.ts). */
export const OWN_SPACE = 'own';

/** hio-dotnet reads a tag without the slash before its id. */
const GLUED_TAG = /^(\/v2\/spaces\/[^/?]+\/tags)(?=[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:[/?]|$))/i;

/**
 * The address as the routes know it.
 * @param legacy also translates the paths of older clients: `/v2/space/{id}/…`, `/v2/devices…` and `/v2/messages…`
 */
export function canonicalUrl(url: string, legacy: boolean): string {
  if (!url.startsWith('/v2/')) return url;
  const path = legacy
    ? url
        .replace(/^\/v2\/space\//, '/v2/spaces/')
        .replace(/^\/v2\/(?=(?:devices|messages)(?:[/?]|$))/, `/v2/spaces/${OWN_SPACE}/`)
    : url;
  return path.replace(GLUED_TAG, '$1/');
}

/** An older script of the vendor goes on only when this list is answered with 201 (cloud API gaps, 7.2). */
export function isLegacyDeviceList(method: string, originalUrl: string): boolean {
  return method === 'GET' && /^\/v2\/devices\/?(?:\?|$)/.test(originalUrl);
}
