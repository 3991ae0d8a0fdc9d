import { expect, test } from 'vitest';
import type { ChainSegment, WaitChain } from '../../../src-main/shared/answers/wait-chain.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { fakeChain } from '../testing/fake-chain.ts';
import { ChainState } from './chain.svelte.ts';

const question = { title: 'Range', thread: 0, startNs: 0, endNs: 30 };

test('the first step goes to the end of the wait, or to its cause; it stops at both', () => {
  const chain = new ChainState(new FakeApi().api, () => fakeChain(3));
  const value = fakeChain(3);
  const steady = new ChainState(new FakeApi().api, () => value);
  expect(chain.index).toBe(-1);
  expect(steady.step(-1, 'time')?.startNs).toBe(20);
  expect(steady.step(-1, 'time')?.startNs).toBe(10);
  expect(steady.step(-1, 'time')?.startNs).toBe(0);
  expect(steady.step(-1, 'time')?.startNs).toBe(0);
  expect(steady.step(1, 'time')?.startNs).toBe(10);
  expect(steady.index).toBe(1);
});

test('by length it goes from the longest on, and back; it stops at both ends', () => {
  const [first, second, third] = fakeChain(3).segments as [
    ChainSegment,
    ChainSegment,
    ChainSegment,
  ];
  const segments = [
    first,
    { ...second, endNs: second.startNs + 90 },
    { ...third, endNs: third.startNs + 50 },
  ];
  const value = { ...fakeChain(3), segments };
  const chain = new ChainState(new FakeApi().api, () => value);
  const steps = ([-1, -1, 1, 1, 1, -1] as const).map((by) => {
    chain.step(by, 'length');
    return chain.index;
  });
  expect(steps).toEqual([1, 1, 2, 0, 0, 2]);
});

test('without a chain there is no step', () => {
  const chain = new ChainState(new FakeApi().api, () => undefined);
  expect(chain.step(-1, 'time')).toBeUndefined();
  expect(chain.step(1, 'time')).toBeUndefined();
  expect(chain.step(1, 'length')).toBeUndefined();
});

test('another chain begins anew', () => {
  let value: WaitChain = fakeChain(2);
  const chain = new ChainState(new FakeApi().api, () => value);
  chain.step(1, 'time');
  expect(chain.index).toBe(0);
  value = fakeChain(2);
  expect(chain.index).toBe(-1);
});

test('the chain of a stretch stands in for that of the call until it is closed', async () => {
  const ofCall = fakeChain(1);
  const ofRange = { ...fakeChain(3), ranWithin: [] };
  const api = new FakeApi().answer('trace.chain', () => ok(ofRange));
  const chain = new ChainState(api.api, () => ofCall);
  const asking = chain.ask('trace', question);
  expect(chain.value).toBeUndefined();
  await asking;
  expect(chain.value).toBe(ofRange);
  expect(api.asked.at(-1)).toEqual({
    name: 'trace.chain',
    args: { traceId: 'trace', thread: 0, startNs: 0, endNs: 30 },
  });
  chain.close();
  expect(chain.value).toBe(ofCall);
});

test('a question that fails says why; one that was overtaken says nothing', async () => {
  const api = new FakeApi().answer('trace.chain', () => fail('process-lost', 'gone'));
  const chain = new ChainState(api.api, () => undefined);
  await chain.ask('trace', question);
  expect(chain.asked?.failure?.message).toBe('gone');
  const first = chain.ask('trace', { ...question, title: 'first' });
  chain.close();
  await first;
  expect(chain.asked).toBeUndefined();
});

test('an event shown from the panel is told from the same event selected by hand', () => {
  const chain = new ChainState(new FakeApi().api, () => undefined);
  const event = { table: 'off_cpu', row: 4 } as const;
  const own = chain.own(event);
  expect(own).toEqual(event);
  expect(chain.isOwn(own)).toBe(true);
  expect(chain.isOwn(event)).toBe(false);
  expect(chain.isOwn(undefined)).toBe(false);
});
