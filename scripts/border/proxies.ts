/** Real reverse proxies, with the configurations of docs/PROXY.md and with the plain ones that people write. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, programAt, type Running, start } from './programs.js';

const HOST = 'iot.example.com';

export interface ProxyCase {
  readonly what: string;
  readonly program: 'nginx' | 'haproxy';
  /** Path of the public URL. */
  readonly path: string;
  readonly isSecure: boolean;
  /** Options of the service. */
  readonly trusts: boolean;
  readonly hasPublicUrl: boolean;
  /** Whether browsers without `Sec-Fetch-Site` are refused, with these words in the message. */
  readonly refusesOld?: string;
  readonly config: (place: Place) => string;
}

/** Ports and files that a configuration names. */
export interface Place {
  readonly port: number;
  /** Port of the service. */
  readonly service: number;
  readonly folder: string;
}

/** The blocks of a language in the page, in their order. */
function blocks(language: string): readonly string[] {
  const page = readFileSync('docs/PROXY.md', 'utf8');
  return [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
    .filter(([, found]) => found === language)
    .map(([, , text = '']) => text);
}

function placed(text: string, { port, service, folder }: Place): string {
  return text
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${service}`)
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replaceAll('/etc/ssl/', `${folder}/`);
}

function nginx(server: string, { folder }: Place): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${folder}/${name};`,
  );
  return `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr;
events {}
http { access_log off; ${temporary.join(' ')}
${server}
}`;
}

/** A server for a plain configuration. */
function plain(location: string, place: Place, isSecure: boolean): string {
  const tls = isSecure
    ? ` ssl; ssl_certificate ${place.folder}/${HOST}.pem; ssl_certificate_key ${place.folder}/${HOST}.key`
    : '';
  return nginx(`server { listen 127.0.0.1:${place.port}${tls};\n${placed(location, place)}\n}`, place);
}

const ROOT = { path: '', isSecure: true, trusts: false, hasPublicUrl: false } as const;
const PASS = 'location / { proxy_pass http://127.0.0.1:8080; ';

export const PROXIES: readonly ProxyCase[] = [
  {
    ...ROOT,
    what: 'nginx as documented',
    program: 'nginx',
    trusts: true,
    config: (place) => nginx(placed(blocks('nginx')[0] ?? '', place), place),
  },
  {
    ...ROOT,
    what: 'nginx below a path as documented, which removes the path',
    program: 'nginx',
    path: '/iot',
    trusts: true,
    hasPublicUrl: true,
    config: (place) => plain(blocks('nginx')[1] ?? '', place, true),
  },
  {
    ...ROOT,
    what: 'nginx below a path of two parts that passes on the path',
    program: 'nginx',
    path: '/apps/iot',
    hasPublicUrl: true,
    config: (place) => plain('location /apps/iot { proxy_pass http://127.0.0.1:8080; }', place, true),
  },
  {
    ...ROOT,
    what: 'nginx with Host $host',
    program: 'nginx',
    refusesOld: 'X-Forwarded-Host',
    config: (place) => plain(`${PASS} proxy_set_header Host $host; }`, place, true),
  },
  {
    ...ROOT,
    what: 'nginx without any header',
    program: 'nginx',
    refusesOld: 'X-Forwarded-Host',
    config: (place) => plain(`${PASS} }`, place, true),
  },
  {
    ...ROOT,
    what: 'nginx without any header, and --public-url',
    program: 'nginx',
    hasPublicUrl: true,
    config: (place) => plain(`${PASS} }`, place, true),
  },
  {
    ...ROOT,
    what: 'nginx without TLS, with X-Forwarded-Host',
    program: 'nginx',
    isSecure: false,
    trusts: true,
    config: (place) => plain(`${PASS} proxy_set_header X-Forwarded-Host $http_host; }`, place, false),
  },
  {
    ...ROOT,
    what: 'nginx whose X-Forwarded-Host is not trusted',
    program: 'nginx',
    isSecure: false,
    refusesOld: '--trust-proxy',
    config: (place) => plain(`${PASS} proxy_set_header X-Forwarded-Host $http_host; }`, place, false),
  },
  {
    ...ROOT,
    what: 'haproxy as documented',
    program: 'haproxy',
    trusts: true,
    config: (place) => placed(blocks('haproxy')[0] ?? '', place),
  },
  {
    ...ROOT,
    what: 'haproxy below a path as documented, which passes on the path',
    program: 'haproxy',
    path: '/iot',
    trusts: true,
    hasPublicUrl: true,
    config: (place) =>
      placed(
        (blocks('haproxy')[0] ?? '').replace(/^ *default_backend.*$/m, `  ${blocks('haproxy')[1]?.trim()}`),
        place,
      ),
  },
];

export interface Proxy extends Running {
  /** Its public URL, without a slash at its end. */
  readonly url: string;
  readonly port: number;
}

/** The public URL of a case. */
export function urlOf({ isSecure, path }: ProxyCase, port: number): string {
  return `${isSecure ? 'https' : 'http'}://${HOST}:${port}${path}`;
}

/** Starts the proxy of a case. @param folder with the files of {@link makeCertificate} */
export async function startProxy(proxy: ProxyCase, port: number, service: number, folder: string): Promise<Running> {
  const config = join(folder, `${proxy.program}-${port}.conf`);
  writeFileSync(config, proxy.config({ port, service, folder }));
  const words = proxy.program === 'nginx' ? ['-e', 'stderr', '-p', folder, '-c', config] : ['-db', '-f', config];
  return start(programAt(proxy.program) ?? proxy.program, words, port);
}

/** Makes a certificate of the host, signed by itself; returns it. */
export function makeCertificate(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const file = (name: string) => join(folder, `${HOST}.${name}`);
  const subject = ['-subj', `/CN=${HOST}`, '-addext', `subjectAltName=DNS:${HOST},IP:127.0.0.1`];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', file('key')];
  execFileSync('openssl', ['req', '-x509', ...key, '-out', file('pem'), '-days', '2', ...subject], { stdio: 'ignore' });
  const certificate = readFileSync(file('pem'), 'utf8');
  writeFileSync(file('both.pem'), certificate + readFileSync(file('key'), 'utf8'));
  return certificate;
}

export { freePort, HOST };
