import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { captureModes } from '../../shared/capture-modes/modes.ts';
import { wayLabel } from '../../shared/words/way-words.ts';

/** agent/src/record/tiers.c is the one place that says what a capture can be made from. */

const root = join(import.meta.dirname, '../../..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

const source = textOf('agent/src/record/tiers.c');
const tiers = source
  .slice(0, source.indexOf('capture_modes['))
  .split(/\n\t\[TIER_/)
  .slice(1)
  .map((row) => {
    const one = (field: string) => new RegExp(`\\.${field} =\\s*"([^"]*)"`).exec(row)?.[1] ?? '';
    const sees = row.slice(row.indexOf('.sees ='), row.indexOf('.misses ='));
    return {
      id: one('id'),
      label: one('label'),
      sees: [...sees.matchAll(/\{"([^"]*)"/g)].map(([, text]) => text ?? ''),
      instead: one('instead'),
      brings: one('brings'),
    };
  });

test('is found in the source', () => {
  expect(tiers.map(({ id }) => id)).toEqual([
    ...['bpf', 'inside', 'imports', 'perf_switch', 'python', 'proc', 'gpu_samples', 'machine'],
  ]);
});

test('docs/agent.md has the same table', () => {
  const rows = tiers.map(
    ({ label, sees, instead, brings }) =>
      `| ${label} | ${sees.join('. ')}. | ${instead} | ${brings} |`,
  );
  const docs = textOf('docs/agent.md').split('\n');
  expect(docs.filter((line) => rows.includes(line))).toEqual(rows);
});

test('a trace’s ways to record are called the same', () => {
  expect(tiers.map(({ id }) => wayLabel(id))).toEqual(tiers.map(({ label }) => label));
});

test('the app has the agent’s modes, and what they see nowhere but from it', () => {
  const modes = [...source.matchAll(/\{"(\w+)", TIER_/g)].map(([, mode]) => mode);
  expect(modes.filter((mode) => captureModes.some((each) => each === mode))).toEqual(captureModes);
});
