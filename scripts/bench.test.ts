import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

test('a benchmark that is not there is refused with the names of all that are, before any runs', () => {
  const args = ['scripts/bench.mjs', 'flame', 'why-fast'];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  expect(stderr).toMatch(
    /^No benchmark is called why-fast\. There are .*open-trace, .*why-slow\.\n$/,
  );
});
