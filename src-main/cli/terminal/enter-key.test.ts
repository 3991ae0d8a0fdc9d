import { expect, test } from 'vitest';
import { jobOfStat } from './enter-key.ts';

test('the process group and the terminal’s, whatever the program is called', () => {
  const rest = 'S 4711 4712 4713 34816 4799 4194560 1 2';
  for (const name of ['node', 'a b', ') S 1 2 3 (']) {
    expect(jobOfStat(`4712 (${name}) ${rest}`)).toEqual({ group: 4712, foreground: 4799 });
  }
});
