import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { hostilePath } from '../fixtures/hostile/paths.ts';
import { openPathDoors } from '../support/path-doors.ts';

/**
 * Hands random hostile paths to everything that takes one or makes a file's name of one: what is let
 * through is inside of what is allowed, the rest is refused.
 *
 *   node test/soak/attack-paths.ts --runs 5000 --seed 1
 */

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '5000' },
    seed: { type: 'string', default: '1' },
  },
});
const [runs, seed] = [Number(values.runs), Number(values.seed)];

const { doors, names, close } = await openPathDoors();
const paths = fc.sample(hostilePath(names), { numRuns: runs, seed });
console.log(`${runs} paths for each of ${doors.length} doors, seed ${seed}`);
for (const door of doors) {
  let [held, inside] = [0, 0];
  for (const path of paths) {
    const outcome = await door.attempt(path);
    if (outcome === 'inside') inside++;
    if (!outcome.startsWith('BROKEN')) held++;
    else console.error(`${door.name}: ${JSON.stringify(path)}: ${outcome}`);
  }
  if (held < runs) process.exitCode = 1;
  console.log(
    `${String(held).padStart(7)} of ${runs} held, ${inside} of them inside: ${door.name}`,
  );
}
close();
