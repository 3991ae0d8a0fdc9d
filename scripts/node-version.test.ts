import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { nodeVersionProblem, OLDEST_NODE } from './node-version.mjs';

test.each(['24.12.0', '24.21.0', '25.0.0', '100.1.0'])('Node %s is new enough', (version) => {
  expect(nodeVersionProblem(version)).toBeUndefined();
});

test.each(['20.20.2', '22.18.0', '24.4.1', '24.11.1', '9.0.0'])('Node %s is too old', (version) => {
  expect(nodeVersionProblem(version)).toContain(`this is Node ${version}: install Node 24.12`);
});

test('the package says the same', () => {
  const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  expect(manifest.engines.node).toBe(`>=${OLDEST_NODE}`);
});
