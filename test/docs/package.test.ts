/** What the package contains. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { PAGES } from '../../scripts/pages/pages.js';
import { filesIn } from '../../scripts/support/update-folder.js';
import { folderOfTest } from '../support/folder-of-test.js';

const { files }: { readonly files: readonly string[] } = JSON.parse(readFileSync('package.json', 'utf8'));
const readme = readFileSync('README.md', 'utf8');

/** The files of the package that the repository has or a build makes, without the program. */
const packed = new Set([
  ...['README.md', 'LICENSE', 'package.json', ...Object.keys(PAGES)],
  ...files.flatMap((name) => {
    if (!existsSync(name) || name === 'dist') return [];
    return statSync(name).isDirectory() ? filesIn(name) : [name];
  }),
]);
const isPacked = (path: string) => packed.has(path) || [...packed].some((each) => each.startsWith(`${path}/`));

it('no page of the package has a link to a file or a picture that the package does not contain', () => {
  const links = [...packed]
    .filter((path) => /\.(md|txt)$/.test(path) && existsSync(path))
    .flatMap((page) =>
      [...readFileSync(page, 'utf8').matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(
        ([, path = '']) => [page, path] as const,
      ),
    );
  expect(links.length).toBeGreaterThan(200);
  expect(links.filter(([page, path]) => !isPacked(normalize(join(dirname(page), path)).replace(/\/$/, '')))).toEqual(
    [],
  );
});

it('no page of the package names a file for users that the package does not contain', () => {
  const named = readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .flatMap((page) =>
      [
        ...readFileSync(`docs/${page}`, 'utf8').matchAll(/`((?:deploy|templates|wireshark)\/[^`\s]*|action\.yml)`/g),
      ].map(([, path = '']) => path.replace(/\/$/, '')),
    );
  expect(named).toContain('action.yml');
  expect(named.filter((path) => !isPacked(path))).toEqual([]);
});

it('the package.json of the package has no scripts and nothing else for the development of ghostfleet', () => {
  const folder = folderOfTest();
  const text = readFileSync('package.json', 'utf8');
  writeFileSync(join(folder, 'package.json'), text);
  const { scripts } = JSON.parse(text);
  const run = (event: 'prepack' | 'postpack') => {
    const [script = ''] = /scripts\/\S+manifest\.mjs/.exec(scripts[event]) ?? [];
    execFileSync(process.execPath, [resolve(script)], { cwd: folder, env: { npm_lifecycle_event: event } });
    return readFileSync(join(folder, 'package.json'), 'utf8');
  };
  const names = Object.keys(JSON.parse(text));
  const left = ['scripts', 'devDependencies', 'overrides', 'allowScripts'];
  expect(Object.keys(JSON.parse(run('prepack')))).toEqual(names.filter((name) => !left.includes(name)));
  expect(run('postpack')).toBe(text);

  // An interrupted `npm pack`, after which package.json is restored from the repository and changed.
  run('prepack');
  const changed = text.replace('"version": "', '"version": "9');
  writeFileSync(join(folder, 'package.json'), changed);
  expect(run('prepack')).toContain('"version": "9');
  expect(run('postpack')).toBe(changed);
});

it('the pictures are small and shown in the documents', () => {
  const pictures = readdirSync('docs/pictures');
  expect(pictures.length).toBeLessThanOrEqual(6);
  const shown = readdirSync('docs').filter((name) => name.endsWith('.md'));
  const texts = [
    readme.replaceAll('docs/pictures', 'pictures'),
    ...shown.map((name) => readFileSync(`docs/${name}`, 'utf8')),
  ];
  for (const name of pictures) {
    expect([name, statSync(`docs/pictures/${name}`).size <= 60_000]).toEqual([name, true]);
    expect([name, texts.some((text) => text.includes(`](pictures/${name})`))]).toEqual([name, true]);
  }
});

it('llms.txt, which the package contains, names every page of docs/, and only pages that exist', () => {
  const named = [...readFileSync('llms.txt', 'utf8').matchAll(/\]\(([^)]+)\)/g)].map(([, path = '']) => path);
  const pages = readdirSync('docs').filter((name) => name.endsWith('.md'));
  expect(files).toContain('llms.txt');
  expect(pages.filter((name) => !named.includes(`docs/${name}`))).toEqual([]);
  expect(named.filter((path) => !existsSync(path) && !(path in PAGES))).toEqual([]);
});
