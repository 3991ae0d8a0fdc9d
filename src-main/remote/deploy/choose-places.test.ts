import { describe, expect, test } from 'vitest';
import { choosePlaces, placeReasons } from './choose-places.ts';
import type { Place } from './host-look.ts';

const GIB = 1024 ** 3;
const AGENT = 4 * 1024 ** 2;

function place(path: string, more: Partial<Place> = {}): Place {
  return {
    path,
    traces: true,
    state: 'usable',
    ours: false,
    runs: true,
    freeBytes: 100 * GIB,
    fileSystem: 'ext2/ext3',
    agentVersion: '',
    said: '',
    ...more,
  };
}

function chosen(...places: readonly Place[]): readonly string[] {
  const result = choosePlaces(places, AGENT);
  if (!result.ok) throw new Error(result.error.message);
  return [result.value.agent.path, result.value.traces.path];
}

describe('places', () => {
  test('are the first of those with the same room, for both', () => {
    expect(chosen(place('/a'), place('/b'))).toEqual(['/a', '/a']);
  });

  test('stay where they were though another disk has a little more', () => {
    const more = place('/a', { freeBytes: 101 * GIB });
    expect(chosen(more, place('/b'))).toEqual(['/a', '/a']);
    expect(chosen(place('/b'), more)).toEqual(['/b', '/b']);
    expect(chosen(more, place('/b', { ours: true }))).toEqual(['/b', '/b']);
  });

  test('of traces are those with the most room', () => {
    expect(chosen(place('/a', { freeBytes: GIB }), place('/b'))).toEqual(['/b', '/b']);
    expect(chosen(place('/a', { freeBytes: undefined }), place('/b'))).toEqual(['/b', '/b']);
  });

  test('of traces are memory last of all, and a network only for room', () => {
    const memory = place('/m', { fileSystem: 'tmpfs', freeBytes: 900 * GIB });
    const network = place('/n', { fileSystem: 'nfs4', freeBytes: 800 * GIB });
    expect(chosen(memory, network, place('/d'))).toEqual(['/d', '/d']);
    expect(chosen(memory, network, place('/d', { freeBytes: GIB }))).toEqual(['/n', '/n']);
    expect(chosen(memory, place('/d', { freeBytes: GIB }))).toEqual(['/d', '/d']);
    expect(chosen(memory)).toEqual(['/m', '/m']);
  });

  test('of the agent are elsewhere where programs are not allowed, or only it has room', () => {
    expect(chosen(place('/a', { runs: false }), place('/b', { freeBytes: GIB }))).toEqual([
      '/b',
      '/a',
    ]);
    expect(chosen(place('/run', { traces: false }), place('/a', { runs: false }))).toEqual([
      '/run',
      '/a',
    ]);
  });

  test('that are full hold an agent that is there already', () => {
    const full = place('/a', { freeBytes: 0, agentVersion: '{}', ours: true });
    expect(chosen(full)).toEqual(['/a', '/a']);
    expect(choosePlaces([place('/a', { freeBytes: 0 })], AGENT)).toMatchObject({
      error: { code: 'host-disk-full' },
    });
  });

  test('that failed are not taken again', () => {
    const without = new Map([['/a', 'is closed to root']]);
    expect(choosePlaces([place('/a'), place('/b')], AGENT, without)).toMatchObject({
      value: { agent: { path: '/b' }, traces: { path: '/b' } },
    });
    expect(choosePlaces([place('/a')], AGENT, without)).toMatchObject({
      error: { code: 'no-place', message: expect.stringContaining('/a is closed to root') },
    });
  });

  test('that can not be taken are named with why', () => {
    const refused = { state: 'refused', runs: false } as const;
    const reasons = placeReasons(
      [
        place('/a', { ...refused, said: 'sh: cannot create /a/x: Read-only file system' }),
        place('/b', { ...refused, said: 'mkdir: Permission denied' }),
        place('/c', { ...refused, said: 'Disk quota exceeded' }),
        place('/d', { runs: false }),
        place('/e', { state: 'link' }),
        place('/f', { state: 'absent' }),
        place('/g'),
      ],
      AGENT,
    );
    expect(reasons).toBe(
      '/a is read-only; /b cannot be written to; /c is full; /d allows no programs (noexec); ' +
        '/e has a link where Stalltrace’s folder belongs',
    );
  });
});
