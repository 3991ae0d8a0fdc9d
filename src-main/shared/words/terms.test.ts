import { expect, test } from 'vitest';
import { verdictKinds } from '../library/investigation.ts';
import { partLabels, roleGroupLabel, roleLabels, verdictLabels } from './terms.ts';

test('a word names one thing, and starts with a capital as the labels do', () => {
  const labels = [...Object.values(roleLabels), ...Object.values(partLabels)];
  expect(new Set(labels).size).toBe(labels.length);
  for (const label of labels) expect(label).toMatch(/^[A-Z]/);
});

test('several of one role', () => {
  expect(roleGroupLabel('main', 1)).toBe('Training process');
  expect(roleGroupLabel('main', 2)).toBe('2 Training processes');
  expect(roleGroupLabel('dataloader-worker', 4)).toBe('4 DataLoader workers');
  expect(roleGroupLabel('other', 3)).toBe('Other processes');
  expect(roleGroupLabel('kernel', 9)).toBe('Kernel threads');
});

test('a verdict of the analysis is called in the library what it is called on its trace', () => {
  for (const kind of verdictKinds) expect(verdictLabels[kind]).toMatch(/^[A-Z0-9 -]+$/);
  expect(verdictLabels.unclear).toBe(verdictLabels.unknown);
});
