import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  asked,
  attack,
  type HostileServer,
  heldBytes,
  startHostileServer,
  whatIsWrong,
} from './testing/attack.ts';

/** The others, for longer: `npm run soak`, test/soak/attack-hosts.ts. */
const BEHAVIOURS = [
  'unanswered',
  'ends_without_closing',
  'endless_line',
  'single_bytes',
  'stderr_flood',
  'answer_of_an_endless_line',
  'answer_and_exit_without_close',
  'trace_that_floods',
];
/** Long enough for some megabytes. */
const PATIENCE_MS = 150;
/** Eight channels' windows, and what Node gives back when it likes. */
const MOST_BYTES = 500 * 1024 ** 2;

let server: HostileServer;
beforeAll(async () => {
  server = await startHostileServer();
});
afterAll(() => server.stop());

test.each(BEHAVIOURS)('nothing that is asked of a host that does this hangs: %s', async (name) => {
  const before = heldBytes();
  const all = await Promise.all(
    Object.keys(asked).map((what) => attack(server, name, what, PATIENCE_MS)),
  );
  expect(heldBytes() - before).toBeLessThan(MOST_BYTES);
  expect(all.map(whatIsWrong)).toEqual(all.map(() => undefined));
});
