import { expect, test } from 'vitest';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';
import { vectorCollate } from './vector-collate.ts';

const fixOf = (seen: Parameters<typeof sampled>[0]) =>
  vectorCollate.judge(exampleFacts('vector-collate', { trace: sampled(seen) }))?.fix;

test('its fix puts samples together at once, or takes out what the collate_fn calls for each', () => {
  expect(fixOf({ collate: 40 })?.title).toBe('Pad and stack the whole batch at once');
  expect(fixOf({ tokenized: 40 })?.title).toBe('Take tokenize out of the collate_fn');
});
