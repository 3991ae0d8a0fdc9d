import { expect, test } from 'vitest';
import { dateClock } from './date-clock.ts';

test('reads between two readings of Date, to within what it says', () => {
  const clock = dateClock();
  expect(clock.uncertaintyMs).toBeGreaterThanOrEqual(0);
  for (let reading = 0; reading < 1_000; reading++) {
    const from = Date.now();
    const read = clock.now();
    const to = Date.now();
    // Date cuts a fraction of a millisecond off; adjusting it meanwhile moves it by far less than another one.
    expect(read).toBeGreaterThan(from - clock.uncertaintyMs - 1);
    expect(read).toBeLessThan(to + 1 + clock.uncertaintyMs + 1);
  }
});
