import { describe, expect, test } from 'vitest';
import { captureRequest, comesInByLine, defaultCapture } from '../remote/capture-request.ts';
import {
  captureModeSpecs,
  captureModes,
  firstMode,
  modeOn,
  modeOptions,
  modeSpec,
  modesFrom,
} from './modes.ts';

const found = { isWhole: true, isPartial: false } as const;

describe.each(captureModes)('%s', (mode) => {
  const spec = modeSpec(mode);

  test('says of itself what is asked before, during and after a capture', () => {
    expect(spec.id).toBe(mode);
    expect(spec.noun).toMatch(/^An? \w+ capture$/);
    expect(spec.exit.helps).not.toBe('');
    const headline = spec.headline({ ...found, bestNeeds: 'It needs a VM' });
    for (const sentence of [
      headline,
      spec.cost({ profiles: [], wholeMachine: false, hasLibrary: false }),
    ])
      expect(sentence).toMatch(/^[A-Z].*\.$/);
    for (const text of Object.values(spec.limits ?? {})) expect(text).not.toBe('');
    if (spec.fromInside) expect(spec.hasGpuRecords).toBe(true);
  });

  test('can be asked for', () => {
    const request = { ...defaultCapture, target: { kind: 'machine' }, mode };
    expect(captureRequest.parse(request).mode).toBe(mode);
  });

  test('is chosen by an option and on the screen unless it is taken by itself', () => {
    expect(spec.choice === undefined).toBe(mode === firstMode);
    expect(modeOptions.some((each) => each.mode === mode)).toBe(mode !== firstMode);
    // A script tells by the exit code that there is less than all.
    expect(spec.exit.code === 0).toBe(mode === firstMode);
    expect(spec.exit.means === undefined).toBe(mode === firstMode);
  });
});

test('no two modes are told to the agent alike, or chosen or ended alike', () => {
  for (const of of [
    captureModeSpecs.map(({ agentArguments }) => agentArguments.join(' ')),
    captureModeSpecs.map(({ exit }) => String(exit.code)),
    modeOptions.map(({ option }) => option),
  ])
    expect(new Set(of).size).toBe(of.length);
});

test('a mode is possible where one is that sees more, and otherwise the best there is taken', () => {
  expect(modesFrom(firstMode, 'command')).toEqual(captureModes);
  expect(modesFrom('sampled', 'command')).toEqual(['sampled']);
  expect(modesFrom('none', 'command')).toEqual([]);
  expect(modeOn('full', 'sampled', 'command')).toBe('sampled');
  expect(modeOn('sampled', 'full', 'command')).toBe('sampled');
  expect(modeOn('none', 'full', 'command')).toBe(captureModes.at(-1));
});

test('a job that runs has a line pasted into it where its GPU can be recorded', () => {
  const request = { target: { kind: 'processes' }, gpuRecords: 'all' } as const;
  for (const mode of captureModes)
    expect(comesInByLine({ ...request, mode })).toBe(modeSpec(mode).hasGpuRecords);
  expect(comesInByLine({ ...request, mode: 'inside', gpuRecords: 'off' })).toBe(false);
});

test('the whole machine is not recorded from inside', () => {
  expect(modeOn('inside', 'full', 'command')).toBe('inside');
  expect(modeOn('inside', 'full', 'processes')).toBe('inside');
  expect(modeOn('inside', 'full', 'machine')).toBe('sampled');
  expect(modeOn('full', 'inside', 'machine')).toBe('full');
  expect(modesFrom('full', 'processes')).toEqual(captureModes);
  expect(modesFrom('full', 'machine')).toEqual(['full', 'sampled']);
});
