import { parseArgs } from 'node:util';
import {
  asked,
  attack,
  heldBytes,
  startHostileServer,
  whatIsWrong,
} from '../../src-main/remote/testing/attack.ts';
import { hostileBehaviours } from '../../src-main/remote/testing/hostile-behaviours.ts';
import { createRandom } from '../simulation/random.ts';

/**
 * Asks hosts that misbehave whatever the app asks of a host, several at once and for random times; each
 * ends with a sentence once it is cancelled, if not before, and the memory that they take is bounded.
 *
 *   node test/soak/attack-hosts.ts --runs 1000 --seed 1
 */

/** `npm run soak -- --runs` counts files of other scripts: here as many attacks. */
const { values } = parseArgs({
  options: { runs: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } },
});
const AT_ONCE = 6;
const LONGEST_MS = 3000;
const MOST_BYTES = 1024 ** 3;

const random = createRandom(Number(values.seed));
const pick = (names: readonly string[]) => names[random(0, names.length - 1)] ?? '';
const server = await startHostileServer();
let tried = 0;
let most = 0;
const watching = setInterval(() => {
  most = Math.max(most, heldBytes());
}, 100);
const began = performance.now();

async function one(): Promise<void> {
  while (tried < Number(values.runs)) {
    tried++;
    const behaviour = pick(Object.keys(hostileBehaviours));
    const what = pick(Object.keys(asked));
    const wrong = whatIsWrong(await attack(server, behaviour, what, random(0, LONGEST_MS)));
    if (wrong !== undefined) throw new Error(`${behaviour}: ${wrong}`);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, one));
clearInterval(watching);
await server.stop();
const seconds = ((performance.now() - began) / 1000).toFixed(0);
const megabytes = Math.round(most / 1024 ** 2);
console.log(
  `attack-hosts: ${tried} questions to hosts that misbehave, all ended, in ${seconds} s; at most ${megabytes} MiB were held.`,
);
if (most > MOST_BYTES) throw new Error('that is too much');
