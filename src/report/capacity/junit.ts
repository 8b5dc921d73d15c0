/** The result of a search as JUnit XML: one test case, which fails if the service carries too little. */
import { printableTexts } from '../../kernel/printable.js';
import { levelText } from '../../kernel/quantity.js';
import { escapeXml } from '../renderers/junit.js';
import type { CapacityResult } from './result.js';
import { failedRun, reasonsOf } from './words.js';

export function capacityJunit(unsafe: CapacityResult): string {
  const result = printableTexts(unsafe);
  const { scenario, key, unit, atLeast, reached, outcome, sentence, advice, reproduce, levels } = result;
  const isLow = reached === false || (atLeast === null && outcome === 'below range');
  const isOpen = !isLow && reached !== true && outcome !== 'found' && outcome !== 'no limit';
  const counts = `tests="1" failures="${isLow ? 1 : 0}" errors="${isOpen ? 1 : 0}" time="0"`;
  const name = atLeast === null ? `the limit of ${key}` : `${key} is at least ${levelText(atLeast, unit)}`;
  const failed = failedRun(result);
  const text = [sentence, ...(advice === null ? [] : [advice]), ...(failed === undefined ? [] : reasonsOf(failed))];
  const element = isLow ? 'failure' : 'error';
  const end =
    isLow || isOpen
      ? `><${element} type="${outcome}" message="${escapeXml(sentence)}">${escapeXml([...text, `reproduce: ${reproduce}`].join('\n'))}</${element}></testcase>`
      : '/>';
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="ghostfleet" ${counts}>`,
    `  <testsuite name="${escapeXml(scenario)}" ${counts} skipped="0">`,
    '    <properties>',
    `      <property name="capacity" value="${escapeXml(sentence)}"/>`,
    ...levels.map(
      ({ value, kind }) => `      <property name="${escapeXml(`${key} ${levelText(value, unit)}`)}" value="${kind}"/>`,
    ),
    '    </properties>',
    `    <testcase classname="${escapeXml(scenario)}" name="${escapeXml(name)}"${end}`,
    `    <system-out>${escapeXml([sentence, ...result.notes].join('\n'))}</system-out>`,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}
