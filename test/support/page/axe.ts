import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** Serious and critical findings of axe-core, as `rule: element`; where asked also targets too small for a finger, WCAG 2.5.8. */
export async function seriousFindings(
  page: Page,
  { smallTargets = false }: { readonly smallTargets?: boolean } = {},
): Promise<string[]> {
  await page.evaluate(source);
  // A colour on its way to another one is not what is read; what turns for ever is never there.
  await page.evaluate(() =>
    Promise.allSettled(
      document
        .getAnimations()
        .filter(({ effect }) => effect?.getComputedTiming().endTime !== Infinity)
        .map(({ finished }) => finished),
    ),
  );
  const { violations } = (await page.evaluate(
    `axe.run({ rules: { 'target-size': { enabled: ${smallTargets} } } })`,
  )) as AxeResult;
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}
