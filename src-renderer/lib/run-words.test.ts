import { expect, test } from 'vitest';
import { fakeLive, fakeRun } from '../state/testing/fake-remote.ts';
import { elapsedS, isUnfinished, stripItems } from './run-words.ts';

const NOW = Date.parse('2026-01-02T03:07:17.000Z');
const texts = (...runs: Parameters<typeof fakeRun>[0][]) =>
  stripItems(runs.map(fakeRun), NOW).map(({ text }) => text);

test('the clock goes on between two lines, up to the duration, and stops with the recording', () => {
  const live = fakeLive({ elapsedNs: 10e9, heardAtMs: NOW - 2_500 });
  expect(elapsedS(fakeRun({ live }), NOW)).toBe(12.5);
  expect(elapsedS(fakeRun({ live, durationS: 11 }), NOW)).toBe(11);
  expect(elapsedS(fakeRun({ live, phase: 'recorded' }), NOW)).toBe(10);
  expect(elapsedS(fakeRun({ durationS: 600 }), NOW)).toBe(192);
  expect(elapsedS(fakeRun({ phase: 'recorded' }), NOW)).toBe(0);
});

test('the strip says what records, what waits and what was left', () => {
  expect(texts({ durationS: 600 })).toEqual(['1 capture records on gpu-box · 3:12']);
  expect(texts({ durationS: 600, link: 'reconnecting' })).toEqual([
    'The link to gpu-box is lost; its capture goes on by itself',
  ]);
  expect(texts({}, { host: 'a100' })).toEqual(['2 captures record on gpu-box and a100']);
  expect(texts({}, { host: 'a' }, { host: 'b' })).toEqual(['3 captures record on 3 hosts']);
  expect(texts({ phase: 'recorded' })).toEqual(['1 capture waits on gpu-box to be brought back']);
  expect(
    texts({
      phase: 'bringing',
      transfer: {
        totalBytes: 200,
        doneBytes: 101,
        wireBytes: 50,
        bytesPerSecond: 1,
        step: 'downloading',
      },
    }),
  ).toEqual(['1 capture comes back from gpu-box · 50 %']);
  expect(texts({ phase: 'brought', bytesOnHost: 1024 })).toEqual([
    '1.000 KiB is still on gpu-box, to be cleaned up',
  ]);
});

test('what is done with is not told', () => {
  expect(
    texts({ phase: 'cleaned' }, { phase: 'abandoned' }, { phase: 'brought', bytesOnHost: 0 }),
  ).toEqual([]);
  expect(isUnfinished(fakeRun({ phase: 'cleaned' }))).toBe(false);
});

test('a hostile host name is short and harmless', () => {
  const [text = ''] = texts({ host: `\u202egpu${'x'.repeat(1000)}` });
  expect(text.length).toBeLessThan(90);
  expect(text).not.toContain('\u202e');
});
