import { parseArgs } from 'node:util';
import { checkRandomTrace } from '../../src-main/analysis/threads/testing/check-time.ts';
import { randomFrom } from '../../src-main/analysis/threads/testing/random-time.ts';

/**
 * Accounts for random stretches of time of random traces: parts that are not empty and sum to the ns,
 * states that tile, contenders that sum to what ran.
 *
 *   node test/soak/account-time.ts --runs 10000 --seed 1
 */

/** Of one run of `npm run soak`, whose `--runs` counts files; here a run is a hundred stretches. */
const CASES_PER_RUN = 100;

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10000' }, seed: { type: 'string', default: '1' } },
});
const wanted = Number(values.runs) * CASES_PER_RUN;
const firstSeed = Number(values.seed) * 1_000_000_000;

let cases = 0;
let seed = firstSeed;
const startMs = performance.now();
for (; cases < wanted; seed++) {
  try {
    cases += checkRandomTrace(randomFrom(seed));
  } catch (error) {
    console.error(`account-time: seed ${seed} of the generator`, error);
    process.exit(1);
  }
}
const seconds = (performance.now() - startMs) / 1000;
console.log(
  `account-time: ${cases.toLocaleString('en-US')} stretches of ${(seed - firstSeed).toLocaleString('en-US')} random traces, all accounted for to the ns, in ${seconds.toFixed(0)} s.`,
);
