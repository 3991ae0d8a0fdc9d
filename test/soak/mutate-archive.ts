import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { hostileArchives, readHostile } from '../../src-main/archive/testing/hostile-archives.ts';

/**
 * Reads .stalltrace files with random changes: whatever is in one, reading it ends within 10 s, leaves
 * nothing outside its folder, and says what was wrong.
 *
 *   node test/soak/mutate-archive.ts --runs 500 --seed 1
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
  },
});
const runs = Number(values.runs);
const seed = Number(values.seed);
const outcomes = new Map<string, number>();
let failures = 0;

for (const bytes of fc.sample(hostileArchives, { numRuns: runs, seed })) {
  const outcome = await readHostile(bytes);
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  if (!outcome.startsWith('BROKEN')) continue;
  const kept = join(tmpdir(), `stalltrace-soak-${seed}-${failures++}.stalltrace`);
  writeFileSync(kept, bytes);
  console.error(`${outcome}, kept as ${kept}`);
}
console.log(`${runs} archives, seed ${seed}`);
for (const [outcome, count] of outcomes) console.log(`${String(count).padStart(6)}  ${outcome}`);
process.exitCode = failures > 0 ? 1 : 0;
