/**
 * Every scenario of the library passes without changes, and its page shows the numbers of that run. The demo passes with the
 * digest that README shows.
 */
import { readFileSync } from 'node:fs';
import { fileOf, NAMES, numbersIn, pageOf, planIn, play, problemsOf } from '../support/library.js';
import type { Proof, Verdict } from '../support/proof.js';

export const library: Proof = {
  name: 'library',
  async run() {
    const verdicts: Verdict[] = [];
    for (const name of NAMES) {
      const numbers = numbersIn(pageOf(name));
      const result = await play(planIn(fileOf(name), undefined, numbers));
      const problems = problemsOf(result);
      verdicts.push({
        what: `${name} holds, with the ${numbers.length} numbers of its page`,
        held: problems.length === 0,
        detail: problems.length === 0 ? `${result.events} events` : problems.join('; '),
      });
    }
    return [...verdicts, await playDemo()];
  },
};

async function playDemo(): Promise<Verdict> {
  const shown = /^demo · .*digest ([0-9a-f]{16})/m.exec(readFileSync('README.md', 'utf8'))?.[1];
  const result = await play(planIn('scenarios/demo.yaml'));
  const problems = [
    ...problemsOf(result),
    ...(result.digest === shown ? [] : [`its digest is ${result.digest}, and that of README ${shown}`]),
  ];
  return {
    what: 'the demo holds, with the digest of README',
    held: problems.length === 0,
    detail: problems.length === 0 ? `${result.events} events` : problems.join('; '),
  };
}
