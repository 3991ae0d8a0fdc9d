import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const MODULES = [
  'd3-array',
  'd3-color',
  'd3-interpolate',
  'd3-format',
  'd3-time',
  'd3-time-format',
  'd3-scale',
] as const;

export type Scale = typeof import('d3-scale');

/** Makes d3-scale the global `d3` of a page. */
export async function addD3(page: Page): Promise<void> {
  const require = createRequire(import.meta.url);
  for (const name of MODULES) {
    const file = join(require.resolve(name), '../../dist', `${name}.js`);
    await page.addScriptTag({ content: readFileSync(file, 'utf8') });
  }
}
