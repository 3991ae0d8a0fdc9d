import { expect, test } from 'vitest';
import { inWords, loopOwner } from './loop-words.ts';

test.each([
  ['The training loop waits for the GPU', 'The inference loop waits for the GPU'],
  ['4 workers and the training process on 2 CPUs', '4 workers and the inference loop on 2 CPUs'],
  ['what the training thread’s stacks say', 'what the inference loop’s stacks say'],
  [
    'Decode once, before training, and read the result.',
    'Decode once, beforehand, and read the result.',
  ],
  ['cheaper ahead of training', 'cheaper beforehand'],
  ['Every epoch starts its workers again', 'Every pass over the data starts its workers again'],
  ['5 s an epoch, between epochs', '5 s a pass over the data, between passes over the data'],
  ['set_epoch(epoch) first', 'set_epoch(epoch) first'],
  ['the training loops of others', 'the training loops of others'],
])('of a loop that infers: %s', (text, said) => {
  expect(inWords(text, loopOwner({ infers: true }))).toBe(said);
});

test('a server has requests where others have steps', () => {
  const text = 'Compile for a few sizes before the first step, and keep them';
  expect(inWords(text, loopOwner({ serves: true }))).toBe(
    'Compile for a few sizes before the first request, and keep them',
  );
  expect(inWords(text, loopOwner({ infers: true }))).toBe(text);
});

test('what infers has batches, of whatever input', () => {
  const infers = loopOwner({ infers: true });
  expect(inWords('37 % of the mean step of 42 ms. A faster DataLoader would win it.', infers)).toBe(
    '37 % of the mean batch of 42 ms. Faster input would win it.',
  );
  expect(inWords('so a faster DataLoader would win no more', infers)).toBe(
    'so faster input would win no more',
  );
  expect(inWords('the mean step of 42 ms', loopOwner({ serves: true }))).toBe(
    'the mean step of 42 ms',
  );
});
