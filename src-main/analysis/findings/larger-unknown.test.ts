import { expect, test } from 'vitest';
import type { CostCell } from './facts/facts.ts';
import { largerUnknown } from './larger-unknown.ts';
import { buildFacts, cell, SECOND } from './testing/build-facts.ts';

const unknown = (ns: number, starvedNs = 0) => cell('other', 'main', 'unknown', ns, { starvedNs });
const facts = (...costs: CostCell[]) => ({
  ...buildFacts({ costs }),
  inputKnown: true,
});

test('more host time of no known state than the finding explains is told, with the GPU’s idle time in it', () => {
  const told = largerUnknown(facts(unknown(5 * SECOND, SECOND)), 3 * SECOND, []);
  expect(told).toMatch(
    /^A larger part, 50\.0\s% of the time, has no known cause \(other host time\): whether the thread ran or waited then is not in this trace; the GPU had nothing to do for 10\.0\s% meanwhile\.$/,
  );
});

test('less than the finding is not told, nor what findings claim, nor time in calls for the GPU', () => {
  const own = unknown(5 * SECOND);
  expect(largerUnknown(facts(own), 6 * SECOND, [])).toBeUndefined();
  expect(largerUnknown(facts(own), 3 * SECOND, [{ cells: [own] }])).toBeUndefined();
  expect(
    largerUnknown(facts(cell('compute', 'main', 'unknown', 9 * SECOND)), SECOND, []),
  ).toBeUndefined();
});

test('nothing is larger than no finding; without the GPU’s time nothing is said of it', () => {
  expect(largerUnknown(facts(unknown(5 * SECOND)), 0, [])).toBeUndefined();
  expect(largerUnknown(facts(unknown(5 * SECOND, -1)), SECOND, [])).toMatch(
    /is not in this trace\.$/,
  );
});
