import { expect, test } from 'vitest';
import { exampleFacts } from '../testing/examples.ts';
import { sampled } from '../testing/sampled.ts';
import { vectorCollate } from './vector-collate.ts';

const fixOf = (seen: Parameters<typeof sampled>[0]) =>
  vectorCollate.judge(exampleFacts('vector-collate', { trace: sampled(seen) }))?.fix;

test('its fix pads at once where samples are padded, stacks them elsewhere, or takes out what is called for each', () => {
  expect(fixOf({ collate: 40 })?.title).toBe('Pad and stack the whole batch at once');
  expect(fixOf({ padding: 40 })?.title).toBe('Pad and stack the whole batch at once');
  const joined = fixOf({ joining: 40 });
  expect(joined?.title).toBe('Put the whole batch together at once');
  expect(joined?.after).toContain('torch.stack([torch.as_tensor(your_array(sample)');
  expect(fixOf({ tokenized: 40 })?.title).toBe('Take tokenize out of the collate_fn');
});

test('what a collate_fn returns besides stays', () => {
  const { after } = fixOf({ tokenized: 40 }) ?? {};
  expect(after).toContain('[(sample, tokenize(sample)) for sample in your_dataset]');
  expect(after).toContain('return your_rest(samples, made)');
  expect(after).not.toContain('pad_sequence');
});
