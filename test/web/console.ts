/** Helpers for tests of the console in a browser: starts the browser, builds the console, and opens pages. */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type Page, chromium as playwright } from 'playwright-core';
import { isNewerThan } from '../../scripts/support/newer.mjs';
import type { Service } from '../../src/index.js';
import type { PageOfConsole } from './pages.js';

/** Starts the browser of the package @sparticuz/chromium, or the browser at the path in `GHOSTFLEET_CHROMIUM`. */
export async function startBrowser(): Promise<Browser> {
  const system = process.env.GHOSTFLEET_CHROMIUM;
  if (system !== undefined) return playwright.launch({ executablePath: system });
  // No page uses WebGL, so the emulation of a graphics card is switched off. It would take a sixth of the time.
  chromium.setGraphicsMode = false;
  // Removes the options for a single process, with which the browser ends with its first page; those for the graphics card; and
  // those that switch off security rules of the browser.
  const args = [...chromium.args.filter((arg) => !UNWANTED.test(arg)), '--disable-gpu'];
  return playwright.launch({ args, executablePath: await chromium.executablePath(), headless: true });
}

const UNWANTED =
  /^--(single-process|no-zygote|in-process-gpu|ignore-gpu-blocklist|disable-web-security|allow-running-insecure-content|disable-site-isolation)/;

export interface BuiltConsole extends Disposable {
  /** Folder with `index.html`. */
  readonly folder: string;
}

/** Builds the console to a folder of its own, or copies the one of `npm run build` if no source has changed since. */
export async function buildConsole(): Promise<BuiltConsole> {
  const folder = mkdtempSync(join(tmpdir(), 'gf-console-'));
  if (isNewerThan('dist/web/index.html', ['web', 'src', 'package-lock.json'])) {
    cpSync('dist/web', folder, { recursive: true });
  } else {
    // Loaded on demand, because loading vite takes a second.
    const { build } = await import('vite');
    await build({ configFile: 'web/vite.config.ts', logLevel: 'error', build: { outDir: folder } });
  }
  return { folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}

export interface Look {
  readonly theme: 'dark' | 'light';
  readonly width: number;
}

/** An open page. `complaints`: its errors, warnings and violations of the policy. */
export interface OpenPage {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly complaints: string[];
}

export async function openConsole(
  browser: Browser,
  service: Pick<Service, 'api' | 'apiKey'>,
  look?: Look,
): Promise<OpenPage> {
  const opened = await openPage(browser, look);
  await signIn(opened.context, service);
  await opened.page.goto(service.api);
  return opened;
}

/** Opens an empty page in a context of its own. */
export async function openPage(
  browser: Browser,
  { theme, width }: Look = { theme: 'dark', width: 1280 },
): Promise<OpenPage> {
  // Without this setting, the browser would have the locale of the environment, which may be one that no user's browser has.
  const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme: theme, locale: 'en-US' });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    // A service without a run answers this request with 404, which the browser reports as an error.
    if (message.location().url.endsWith('/run')) return;
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(`${message.text()} ${message.location().url}`);
  });
  return { page, context, complaints };
}

/** Gives the browser the cookie of the console. */
async function signIn(context: BrowserContext, { api, apiKey }: Pick<Service, 'api' | 'apiKey'>): Promise<void> {
  const answer = await context.request.post(`${api}/console/session`, {
    data: { credential: apiKey },
    headers: { origin: api },
  });
  if (!answer.ok()) throw new Error(`the sign-in was answered with ${answer.status()}`);
}

/**
 * Violations of accessibility rules that axe finds, each with its elements.
 * @param rules names of rules to check; default: all
 */
export async function violationsOf(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  // The script is evaluated through the protocol of the browser, because the policy of the page forbids foreign scripts.
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  const results = await page.evaluate(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], ...(rules && { runOnly: rules }) })})`,
  );
  // The cast is needed because axe has no types in the configuration of this project.
  const { violations } = results as { violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}

/**
 * All violations in the dark theme, and those of the colours in the light theme: the themes differ only in their colours. The
 * page must be dark, and is dark afterwards.
 */
export async function violationsInThemes(page: Page): Promise<readonly string[]> {
  const dark = await violationsOf(page);
  await page.evaluate('document.documentElement.dataset.theme = "light"');
  const light = await violationsOf(page, ['color-contrast']);
  await page.evaluate('document.documentElement.dataset.theme = "dark"');
  return [...dark, ...light.map((violation) => `light: ${violation}`)];
}

/** The violations of these pages and of the sign-in, each after the fragment of its page, in a context of their own. */
export async function violationsOfPages(
  browser: Browser,
  service: Pick<Service, 'api' | 'apiKey'>,
  pages: readonly PageOfConsole[],
): Promise<readonly string[]> {
  const { page, context } = await openConsole(browser, service);
  const found: string[] = [];
  const check = async (name: string, ready: string) => {
    await page.locator(ready).first().waitFor();
    for (const violation of await violationsInThemes(page)) found.push(`${name}: ${violation}`);
  };
  for (const { fragment, ready } of pages) {
    await page.goto(`${service.api}/${fragment}`);
    await check(fragment, ready);
  }
  await context.clearCookies();
  await page.reload();
  await check('sign-in', '.sign-in input');
  await context.close();
  return found;
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
