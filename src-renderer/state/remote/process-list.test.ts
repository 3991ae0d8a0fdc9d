import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { CONNECTION, fakeProcess } from '../testing/fake-remote.ts';
import { ProcessList } from './process-list.svelte.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const gpu = fakeProcess(7, { usesGpu: true });

test('asks again a few seconds after each answer, until it is off the screen', async () => {
  const fake = new FakeApi().answer('remote.processes', () => ok({ trees: [gpu] }));
  const list = new ProcessList(fake.api);
  const stop = list.watch(CONNECTION);
  await vi.advanceTimersByTimeAsync(6_500);
  expect(fake.asked).toHaveLength(3);
  stop();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(fake.asked).toHaveLength(3);
});

test('the only job on a GPU is chosen once; who takes it back keeps that', async () => {
  const fake = new FakeApi().answer('remote.processes', () => ok({ trees: [gpu] }));
  const list = new ProcessList(fake.api);
  const stop = list.watch(CONNECTION);
  await vi.advanceTimersByTimeAsync(10);
  expect(list.chosen).toEqual([gpu]);
  list.toggleChosen(7);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(list.chosen).toEqual([]);
  stop();
});

test('a chosen process that has ended is told, and can be taken off', async () => {
  const fake = new FakeApi().answer('remote.processes', () => ok({ trees: [gpu] }));
  const list = new ProcessList(fake.api);
  const stop = list.watch(CONNECTION);
  await vi.advanceTimersByTimeAsync(10);
  fake.answer('remote.processes', () => ok({ trees: [] }));
  await vi.advanceTimersByTimeAsync(4_000);
  expect(list.ended).toBe(1);
  list.dropEnded();
  expect(list.ended).toBe(0);
  stop();
});

test('a list that can’t be read anew stays, with the reason', async () => {
  const fake = new FakeApi().answer('remote.processes', () => ok({ trees: [gpu] }));
  const list = new ProcessList(fake.api);
  const stop = list.watch(CONNECTION);
  await vi.advanceTimersByTimeAsync(10);
  fake.answer('remote.processes', () => fail('link-lost', 'The link is lost.'));
  list.again();
  await vi.advanceTimersByTimeAsync(10);
  expect(list.failure?.message).toBe('The link is lost.');
  expect(list.trees).toEqual([gpu]);
  stop();
});

test('no more than a capture takes can be chosen', async () => {
  const many = Array.from({ length: 70 }, (_, index) => fakeProcess(index + 1));
  const fake = new FakeApi().answer('remote.processes', () => ok({ trees: many }));
  const list = new ProcessList(fake.api);
  const stop = list.watch(CONNECTION);
  await vi.advanceTimersByTimeAsync(10);
  for (const { pid } of many) list.toggleChosen(pid);
  expect(list.chosen).toHaveLength(64);
  expect(list.isFull).toBe(true);
  stop();
});
