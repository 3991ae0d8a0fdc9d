import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Rule } from '../../src-main/analysis/findings/rule.ts';
import { rules } from '../../src-main/analysis/findings/rules.ts';
import { exampleFacts } from '../../src-main/analysis/findings/testing/examples.ts';

const DOC = fileURLToPath(new URL('../../docs/findings.md', import.meta.url));
const HEAD = [
  '| id | fires when | asks the trace | fix, with an example’s numbers | sources |',
  '|---|---|---|---|---|',
];

const doc = readFileSync(DOC, 'utf8');
const before = doc.slice(0, doc.indexOf(HEAD[0] ?? ''));

/** By id, the one cell that is written by hand. */
const firesWhen = new Map(
  [...doc.matchAll(/^\| `([^`]+)` \| ([^|]*) \|/gm)].map(([, id, text]) => [id, text]),
);

function row(rule: Rule): string {
  const fix = rule.judge(exampleFacts(rule.id))?.fix;
  const asks = rule.needs.map(({ question }) => question).join('<br>') || '–';
  const sources = (fix?.sources ?? [])
    .map(({ title, url }) => (url === undefined ? title : `[${title}](${url})`))
    .join('<br>');
  const when = firesWhen.get(rule.id) ?? '';
  return `| \`${rule.id}\` | ${when} | ${asks} | ${fix?.title ?? ''} | ${sources} |`;
}

/** After a change of rules: `npx vitest run --project integration test/integration/findings-doc.test.ts -u`. */
test('docs/findings.md has a row for every rule, in their order, as they are', async () => {
  await expect(`${before}${[...HEAD, ...rules.map(row)].join('\n')}\n`).toMatchFileSnapshot(DOC);
});

test('every row says when the rule fires', () => {
  const without = rules.filter(({ id }) => !firesWhen.get(id)?.trim());
  expect(without.map(({ id }) => id)).toEqual([]);
});
