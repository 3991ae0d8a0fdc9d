import { parseArgs } from 'node:util';
import { createRandom } from '../simulation/random.ts';
import { startBrowserHost } from '../support/page/browser-host.ts';
import { openPage } from '../support/page/browser-page.ts';
import { attackAll, attemptsNearRight, randomAttempts } from '../support/page/request-attack.ts';

/**
 * Asks a browser host in every way that is wrong, and right, by method, path, host, origin, site and
 * secret: only what is right is answered. The short form is test/integration/browser-host.test.ts.
 *
 *   node test/soak/attack-requests.ts --runs 500 --seed 1
 */

/** A request takes some ms, a run of the other soaks some hundred. */
const ATTEMPTS_A_RUN = 40;

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
  },
});
const seed = Number(values.seed);

async function secretOfAnother(): Promise<string> {
  const host = await startBrowserHost();
  const { secret } = await openPage(host);
  await host.stop();
  return secret;
}

const host = await startBrowserHost();
const target = {
  host,
  page: await openPage(host),
  otherSecret: await secretOfAnother(),
  earlierSecret: await secretOfAnother(),
};
const random = createRandom(seed);
const near = await attackAll(target, attemptsNearRight());
const any = await attackAll(target, randomAttempts(Number(values.runs) * ATTEMPTS_A_RUN, random));
const broken = [...near.broken, ...any.broken];
const tried = near.tried + any.tried;
for (const line of broken.slice(0, 50)) console.error(`BROKEN ${line}`);
const hasLogged = host.log() !== '';
await host.stop();
console.log(`${tried} requests, seed ${seed}: ${tried - broken.length} held`);
process.exitCode = broken.length > 0 || hasLogged ? 1 : 0;
