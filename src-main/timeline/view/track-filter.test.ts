import { describe, expect, test } from 'vitest';
import type { Track } from '../model/track-model.ts';
import {
  choosesEvents,
  filterOfName,
  matchesTrack,
  nameMatcher,
  parseDuration,
  parseFilter,
  searchText,
} from './track-filter.ts';

const track: Track = {
  id: 'line:cpu',
  kind: 'line',
  label: 'CPU',
  detail: '%',
  badge: '',
  provenance: '',
  pid: 7,
  samples: () => ({ timesNs: new Float64Array(0), values: new Float64Array(0) }),
  gaps: [],
  domain: [0, 100],
  unit: '%',
};

describe('track filter', () => {
  test('terms are told apart', () => {
    expect(parseFilter(' Worker name:Memcpy pid:2233 dur>10ms ')).toEqual({
      words: ['worker'],
      eventNames: ['memcpy'],
      pids: [2233],
      minimumNs: 10e6,
    });
  });

  test('a term half typed picks nothing yet', () => {
    expect(parseFilter('name: pid: dur>')).toEqual(parseFilter(''));
  });

  test('a name picks itself, whatever spaces are in it', () => {
    const name = ' Copy  H2D';
    const picks = nameMatcher(parseFilter(filterOfName(name)));
    expect([picks(name), picks('copy of h2d'), picks('Copy D2H')]).toEqual([true, true, false]);
  });

  test('durations', () => {
    expect(parseDuration('1.5s')).toBe(1.5e9);
    expect(parseDuration('250µs')).toBe(250e3);
    expect(parseDuration('3')).toBe(3e6);
    expect(parseDuration('+12.345 678 901 s')).toBe(12_345_678_901);
    expect(parseDuration('soon')).toBeUndefined();
    expect(parseDuration('1.2.3s')).toBeUndefined();
  });

  test('words and pids choose tracks', () => {
    expect(matchesTrack(parseFilter('system cpu'), track, searchText(track, 'System'))).toBe(true);
    expect(matchesTrack(parseFilter('pid:7'), track, searchText(track, 'System'))).toBe(true);
    expect(matchesTrack(parseFilter('pid:8'), track, searchText(track, 'System'))).toBe(false);
  });

  test('names and durations choose events', () => {
    const filter = parseFilter('name:memcpy dur>1ms');
    expect(choosesEvents(filter)).toBe(true);
    expect(filter.minimumNs).toBe(1e6);
    const matches = nameMatcher(filter);
    expect(['cudaMemcpyAsync', 'cudaMalloc', 'cudaMemcpyAsync'].map(matches)).toEqual([
      true,
      false,
      true,
    ]);
  });
});
