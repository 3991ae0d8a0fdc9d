import { expect, test } from 'vitest';
import { inSteps } from './in-steps.ts';

/** Takes 2 ms a step. */
function* slowly(count: number, onStep: (at: number) => void): Generator<undefined, string> {
  for (let at = 0; at < count; at++) {
    const untilMs = performance.now() + 2;
    while (performance.now() < untilMs);
    onStep(at);
    yield undefined;
  }
  return 'done';
}

test('others are answered between the steps', async () => {
  const seen: string[] = [];
  const long = inSteps(
    slowly(20, () => seen.push('step')),
    undefined,
  );
  setTimeout(() => seen.push('other'));
  expect(await long).toBe('done');
  expect(seen.filter((each) => each === 'step')).toHaveLength(20);
  expect(seen.indexOf('other')).toBeLessThan(seen.length - 1);
});

test('what nobody waits for any more ends', async () => {
  const controller = new AbortController();
  let last = 0;
  const long = inSteps(
    slowly(1_000, (at) => {
      last = at;
      if (at === 5) controller.abort();
    }),
    controller.signal,
  );
  await expect(long).rejects.toThrow('aborted');
  expect(last).toBeLessThan(999);
});
