import { expect, test } from 'vitest';
import { partLabels, roleLabels } from './terms.ts';

test('a word names one thing, and starts with a capital as the labels do', () => {
  const labels = [...Object.values(roleLabels), ...Object.values(partLabels)];
  expect(new Set(labels).size).toBe(labels.length);
  for (const label of labels) expect(label).toMatch(/^[A-Z]/);
});
