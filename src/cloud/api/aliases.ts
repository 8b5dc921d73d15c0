/** Paths of older clients, translated to those of the routes (cloud C-18) before routing: there is one set of routes. */

/** Placeholder for the space id that a legacy path lacks; auth.ts replaces it by the space of the credential. */
export const OWN_SPACE = 'own';

/** hio-dotnet omits the slash between `tags` and the id of a tag. */
const GLUED_TAG = /^(\/v2\/spaces\/[^/?]+\/tags)(?=[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:[/?]|$))/i;

/**
 * Returns the URL in the form that the routes have.
 * @param legacy whether to translate the paths of older clients as well: `/v2/space/{id}/…`, `/v2/devices…` and `/v2/messages…`
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

/** Whether a request reads the legacy device list. An older script of the vendor expects status 201 (cloud C-19). */
export function isLegacyDeviceList(method: string, originalUrl: string): boolean {
  return method === 'GET' && /^[^?]*\/v2\/devices\/?(?:\?|$)/.test(originalUrl);
}
