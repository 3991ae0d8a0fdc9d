import { expect, test } from 'vitest';
import { buildTrace } from '../../testing/build-trace.ts';
import { clearCulprit, fileNameOf, functionOf, serverName } from './culprit.ts';

test('names have nothing that another recording of the same has not', () => {
  expect(functionOf('Trainer.save (train.py:51)')).toBe('Trainer.save');
  expect(functionOf('main.<locals>.<lambda>')).toBe('main.<locals>.<lambda>');
  expect(fileNameOf('/tmp/run-71/index.db (ext4)')).toBe('index.db');
});

test('a server keeps the port that it was given, but not one that the kernel chose', () => {
  const trace = buildTrace({ processes: [{ pid: 311, name: 'redis-server' }, { pid: 312 }] });
  const nameOf = (process: number, address?: string) =>
    serverName(trace, { key: '', process, text: '', ...(address !== undefined && { address }) });
  expect(nameOf(0, '127.0.0.1:6379')).toBe('redis-server:6379');
  expect(nameOf(0, '127.0.0.1:41793')).toBe('redis-server');
  expect(nameOf(0)).toBe('redis-server');
  expect(nameOf(-1, '[fd00::2]:443')).toBe('[fd00::2]:443');
  expect(nameOf(1, '/run/feed.sock')).toBe('/run/feed.sock');
  expect(nameOf(-1)).toBeUndefined();
});

test('of two that are about as much to blame none is named', () => {
  const parts = (first: number, second: number) =>
    clearCulprit([
      { name: 'save_model', ns: first },
      { name: 'save_log', ns: second },
    ]);
  expect(parts(70, 30)).toBe('save_model');
  expect(parts(30, 70)).toBe('save_log');
  expect(parts(50, 50)).toBeUndefined();
  // Two parts of one are of one; what has no name is nobody.
  const named = (name: string | undefined, ns: number) => ({ name, ns });
  expect(clearCulprit([named('save', 40), named('log', 35), named('save', 25)])).toBe('save');
  expect(clearCulprit([named(undefined, 80), named('save', 20)])).toBeUndefined();
  expect(clearCulprit([])).toBeUndefined();
});
