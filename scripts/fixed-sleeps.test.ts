import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { unexplainedSleeps } from './fixed-sleeps.ts';

test('every pause of more than 100 ms has its reason beside it', () => {
  const files = globSync([
    '{src-main,src-renderer,scripts,test}/**/*.{ts,mjs,js,svelte,py,c,h}',
    'agent/{src,bpf,test}/**/*.{c,h}',
  ]);
  expect(files.length).toBeGreaterThan(1000);
  const found = files
    .filter((file) => !file.endsWith('fixed-sleeps.test.ts'))
    .flatMap((file) =>
      unexplainedSleeps(readFileSync(file, 'utf8')).map(
        ({ line, ms }) => `${file}:${line}: ${ms} ms`,
      ),
    );
  expect(found).toEqual([]);
});

test.each([
  ['await setTimeout(500);', 500],
  ['await page.waitForTimeout(1_500);', 1500],
  ['await new Promise((resolve) => setTimeout(resolve, 250));', 250],
  ['setTimeout(() => resolve(go(1, 2)), 250);', 250],
  ['const QUIET_MS = 300;\nawait delay(QUIET_MS);', 300],
  ['Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);', 200],
  ['usleep(200000);', 200],
  ['struct timespec pause = {.tv_nsec = 500 * NS_PER_MS};', 500],
  ['struct timespec pause = {.tv_nsec = 300000000};', 300],
  ['time.sleep(0.5)', 500],
  ["run('echo one; sleep 1.5');", 1500],
  ["startRun([], 'sleep', '0.5');", 500],
  ["spawn('sleep', ['2']);", 2000],
])('%s is found', (source, ms) => {
  expect(unexplainedSleeps(source).map((found) => found.ms)).toEqual([ms]);
  expect(unexplainedSleeps(`// Why.\n${source}`)).toEqual([]);
});

test.each([
  'await setTimeout(100);',
  'await setTimeout(random(100, 1000));',
  'await setTimeout(500); // Why.',
  '/** Why. */\nconst QUIET_MS = 300;\nawait delay(QUIET_MS);',
  'setTimeout(kill, 60_000);',
  "spawn('sleep', ['60']);",
  ' * sleep 5 as a comment says it',
])('%s is none, or has its reason', (source) => {
  expect(unexplainedSleeps(source)).toEqual([]);
});
