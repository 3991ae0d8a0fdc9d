import { expect, test } from 'vitest';
import { CaptureOptions } from './capture-options.svelte.ts';

test('what is missing or wrong is a sentence, the rest a request', () => {
  const options = new CaptureOptions();
  // To launch it is what is offered first.
  expect(options.request([7], 'full')).toMatch(/^Write the command/);
  options.change({ kind: 'processes' });
  expect(options.request([], 'full')).toBe('Choose at least one process.');
  expect(options.request([7], 'full')).toMatchObject({
    target: { kind: 'processes', pids: [7] },
    durationS: 60,
    mode: 'full',
  });
  options.change({ kind: 'command', line: '  ' });
  expect(options.request([], 'full')).toMatch(/^Write the command/);
  options.change({ line: ' python train.py ', folder: ' ' });
  expect(options.request([], 'full')).toMatchObject({
    target: { kind: 'command', line: 'python train.py' },
  });
});

test('a command has its environment, a line for each variable', () => {
  const options = new CaptureOptions();
  options.change({ kind: 'command', line: 'train', environment: 'A=1\n\nB=two words\n' });
  expect(options.request([], 'inside')).toMatchObject({
    target: { kind: 'command', line: 'train', environment: ['A=1', 'B=two words'] },
    mode: 'inside',
    profiles: [],
  });
  options.change({ environment: 'export A' });
  expect(options.request([], 'inside')).toMatch(/^Each line of the environment is NAME=value/);
  options.change({ kind: 'processes' });
  expect(options.request([7], 'inside')).toMatchObject({ mode: 'inside' });
  options.change({ kind: 'machine' });
  expect(options.request([], 'inside')).toMatchObject({ mode: 'sampled' });
});

test.each(['0', '', 'x', '-1', '1e9', '25'])('a duration of “%s” h is none', (duration) => {
  const options = new CaptureOptions();
  options.change({ kind: 'machine', duration, durationUnit: 'h' });
  expect(options.request([], 'full')).toBe('A capture lasts from 1 s to 24 h.');
});

test('numbers are taken as people type them', () => {
  const options = new CaptureOptions();
  options.change({ kind: 'machine', duration: '1,5', durationUnit: 'min', size: '0.5' });
  expect(options.request([], 'full')).toMatchObject({
    durationS: 90,
    maxSizeBytes: 512 * 1024 ** 2,
  });
});

test('where only sampling can be had, nothing is asked for that it has not', () => {
  const options = new CaptureOptions();
  options.change({ kind: 'machine' });
  options.toggleProfile('faults');
  expect(options.request([], 'full')).toMatchObject({ mode: 'full', profiles: ['faults'] });
  expect(options.request([], 'sampled')).toMatchObject({
    mode: 'sampled',
    profiles: [],
    // Its rate is not chosen here: Python's stacks are read from outside, as often as the agent does.
    samplesHz: 49,
  });
  options.toggleProfile('faults');
  expect(options.request([], 'full')).toMatchObject({ profiles: [] });
});
