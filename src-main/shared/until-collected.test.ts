import { expect, test } from 'vitest';
import { collectedAfterUse, untilCollected } from './until-collected.ts';

test('what is made is the same as long as somebody has it', () => {
  let times = 0;
  const found = untilCollected(() => ({ times: ++times }));
  const first = found();
  expect(found()).toBe(first);
  expect(first.times).toBe(1);
});

test('what is made ahead is what is used, and is not made ahead again', () => {
  let times = 0;
  const found = collectedAfterUse(function* () {
    yield;
    return { times: ++times };
  });
  const pieces = [...found.prepare()];
  expect(pieces).toHaveLength(1);
  const first = found.value();
  expect(first.times).toBe(1);
  expect([...found.prepare()]).toHaveLength(0);
  expect(found.value()).toBe(first);
});
