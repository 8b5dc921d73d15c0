/** The page of Swagger UI, which only documentation-page.ts loads, at the first request. */
import { existsSync } from 'node:fs';
import swagger, { type StaticDocumentSpec } from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import fastify, { type FastifyInstance } from 'fastify';
import { pathFrom } from '../../kernel/program-files.js';

/** What browsers load. The build puts it beside the program; without it, the package serves its own files. */
const FILES = pathFrom(import.meta.url, 'swagger-ui/');

const SVG = 'image/svg+xml';
/** A ghost with the antenna of a device. */
const ICON =
  '<path d="M6 30V14a10 10 0 0 1 20 0v16l-4-3-3 3-3-3-3 3-3-3z" fill="#7aa2f7"/><path d="M16 4V1" stroke="#7aa2f7"/>' +
  '<circle cx="12.5" cy="14" r="2" fill="#1b1b1b"/><circle cx="19.5" cy="14" r="2" fill="#1b1b1b"/>';

/** A picture of the page. @param width in pixels; the height is 32 */
function picture(content: string, width: number): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 32">${content}</svg>`;
}

/**
 * The server of the page. It has no port: requests are injected.
 * @param address of the page @param policy what the content security policy of the page allows
 */
export async function createPage(
  api: FastifyInstance,
  address: string,
  name: string,
  policy: string,
): Promise<FastifyInstance> {
  const page = fastify();
  // The cast is needed because the type allows only OpenAPI 2 and 3.0. The plugin returns the document unchanged.
  const specification = { document: api.swagger() } as StaticDocumentSpec;
  page.register(swagger, { mode: 'static', specification });
  page.register(swaggerUi, {
    ...(existsSync(FILES) && { baseDir: FILES }),
    routePrefix: address,
    staticCSP: policy,
    uiConfig: {
      ...{ docExpansion: 'list', persistAuthorization: false, tryItOutEnabled: true },
      responseInterceptor: describeOptional,
    },
    theme: {
      title: name,
      favicon: [{ filename: 'favicon.svg', rel: 'icon', type: SVG, sizes: 'any', content: picture(ICON, 32) }],
    },
    logo: { type: SVG, content: picture(`${ICON}${nameText(name)}`, 330), href: './', target: '_self' },
  });
  await page.ready();
  return page;
}

interface Parameter {
  readonly required?: boolean;
  description?: string;
  example?: unknown;
  readonly schema?: { example?: unknown; examples?: unknown };
}

/**
 * Runs in browsers, which get its text, so it uses nothing outside of it. Swagger UI fills in the examples of parameters and
 * sends them. So optional ones get theirs as a part of the description in the document that the page shows.
 */
function describeOptional<R>(response: R): R {
  // The casts are safe because Swagger UI calls the function with such an object, and the service has made the document.
  const answer = response as R & { readonly url: string; text: string };
  if (!answer.url.endsWith('/documentation/json')) return answer;
  const document = JSON.parse(answer.text) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly parameters?: readonly Parameter[] }>>>>;
  };
  for (const path of Object.values(document.paths)) {
    for (const { parameters = [] } of Object.values(path)) {
      for (const parameter of parameters) {
        const { required, description = '', example, schema } = parameter;
        if (required || example === undefined) continue;
        const text = typeof example === 'string' ? example : JSON.stringify(example);
        parameter.description = `${description}\n\nExample: \`${text}\``;
        delete parameter.example;
        delete schema?.example;
        delete schema?.examples;
      }
    }
  }
  answer.text = JSON.stringify(document);
  return answer;
}

function nameText(name: string): string {
  return `<text x="40" y="23" font-family="sans-serif" font-size="22" fill="#fff">${name}</text>`;
}
