/** The reader of the Dockerfile in scripts/deploy. `npm run deploy:check` also runs the steps that it returns. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readDockerfile } from '../../scripts/deploy/dockerfile.js';

describe('the reader of the Dockerfile', () => {
  it('finds the three stages of the project', () => {
    const stages = readDockerfile(readFileSync('Dockerfile', 'utf8'));
    expect(stages.map(({ name }) => name)).toEqual(['packages', 'build', undefined]);
    expect(stages[2]?.steps).toContainEqual({
      kind: 'copy',
      from: 'build',
      sources: ['/app/dist'],
      to: 'dist',
    });
  });

  it('finds that the stage with the build has every folder from which the build reads', () => {
    const build = readDockerfile(readFileSync('Dockerfile', 'utf8')).find(({ name }) => name === 'build');
    const copied = build?.steps.flatMap((step) => (step.kind === 'copy' ? step.sources : []));
    // scripts/build/program.ts reads `profiles`, the TypeScript compiler `src`, and vite `web`.
    expect(copied).toEqual(expect.arrayContaining(['src', 'profiles', 'scripts', 'web']));
  });

  it.each([
    'FROM',
    'FROM --platform=linux/arm64 node',
    'FROM node as build',
    'COPY src',
    'COPY --chown=1000 src dist',
    'COPY --from=build --link src dist',
    'COPY ["src", "dist"]',
    'COPY *.json ./',
    'RUN --mount=type=cache,target=/root/.npm npm ci',
    'RUN ["npm", "ci"]',
    'ENV NODE_ENV production',
    'USER node',
    'ENTRYPOINT node main.js',
    'ADD src dist',
    'copy src dist',
  ])('rejects %s', (line) => {
    expect(() => readDockerfile(`FROM node\n${line}\n`)).toThrow(
      `Dockerfile: this check does not understand "${line}"`,
    );
  });

  it('rejects an instruction before the first FROM', () => {
    expect(() => readDockerfile('COPY src dist\nFROM node\n')).toThrow('"COPY src dist" stands before the first FROM');
  });
});
