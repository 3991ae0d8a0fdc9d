import { expect, test } from 'vitest';
import type { Run } from '../../../src-main/shared/remote/run.ts';
import { fail, ok } from '../../../src-main/shared/rpc/result.ts';
import { FakeApi } from '../testing/fake-api.ts';
import { fakeRun } from '../testing/fake-remote.ts';
import { Runs } from './runs.svelte.ts';

const old = fakeRun({ id: 'aaaaaaaa', phase: 'recording' });
const other = fakeRun({ id: 'bbbbbbbb', phase: 'cleaned' });

test('lists captures, and those that something is to be done about', async () => {
  const fake = new FakeApi().answer('remote.runs', () => ok([old, other]));
  const runs = new Runs(fake.api);
  await runs.load();
  expect(runs.list).toEqual([old, other]);
  expect(runs.unfinished).toEqual([old]);
  fake.emit('remote.run', { ...old, phase: 'cleaned' });
  expect(runs.unfinished).toEqual([]);
});

test('what a capture told while the list was asked for is newer than the list', async () => {
  let answer: (runs: readonly Run[]) => void = () => undefined;
  const fake = new FakeApi().answer(
    'remote.runs',
    () => new Promise((resolve) => (answer = (list) => resolve(ok(list)))),
  );
  const runs = new Runs(fake.api);
  const loading = runs.load();
  fake.emit('remote.run', { ...old, phase: 'recorded' });
  answer([old]);
  await loading;
  expect(runs.find(old.id)?.phase).toBe('recorded');
});

test('a list that can’t be had says why, and what was there stays', async () => {
  const fake = new FakeApi().answer('remote.runs', () => ok([old]));
  const runs = new Runs(fake.api);
  await runs.load();
  fake.answer('remote.runs', () => fail('state-unwritable', 'The folder can’t be read.'));
  await runs.load();
  expect(runs.failure?.message).toBe('The folder can’t be read.');
  expect(runs.list).toEqual([old]);
});
