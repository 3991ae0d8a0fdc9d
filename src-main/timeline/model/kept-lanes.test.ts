import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test, vi } from 'vitest';
import { bytesOfLanes, keepLanesWithin, laneOnce } from './kept-lanes.ts';

afterEach(() => keepLanesWithin(256 * 2 ** 20));

const rest = () => new Promise((resolve) => setTimeout(resolve));

/** A lane of `bytes`, and how often it was built. */
function laneOf(bytes: number) {
  const built = { times: 0 };
  const lane = laneOnce(built, 'lane', () => {
    built.times++;
    return { rows: [new Uint8Array(bytes)] };
  });
  return { lane, built };
}

test('what was used longest ago is let go of, and built again when it is asked for', async () => {
  keepLanesWithin(0);
  await rest();
  expect(bytesOfLanes()).toBe(0);
  keepLanesWithin(250);
  const [a, b, c] = [laneOf(100), laneOf(100), laneOf(100)];
  for (const { lane } of [a, b, a, c]) lane();
  expect(bytesOfLanes()).toBe(300);
  await rest();
  expect(bytesOfLanes()).toBe(200);
  for (const { lane } of [a, c, b]) lane();
  expect([a, b, c].map(({ built }) => built.times)).toEqual([1, 2, 1]);
});

test('within an answer a lane stays the same, however large', async () => {
  keepLanesWithin(10);
  const { lane, built } = laneOf(1_000);
  const first = lane();
  expect(lane()).toBe(first);
  await rest();
  expect(lane()).not.toBe(first);
  expect(built.times).toBe(2);
});

test('a lane goes with its owner, also where it refers to it', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  keepLanesWithin(0);
  await rest();
  keepLanesWithin(1_000);
  (() => {
    const owner = {};
    laneOnce(owner, 'lane', () => ({ rows: new Uint8Array(100), of: () => owner }))();
  })();
  expect(bytesOfLanes()).toBe(100);
  await vi.waitFor(() => {
    collect();
    expect(bytesOfLanes()).toBe(0);
  });
});
