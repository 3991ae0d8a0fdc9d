import { expect, test } from 'vitest';
import { recordingHint } from './recording-hint.ts';

test('says where the agent is and how it is run', () => {
  const built = [
    { arch: 'x64', path: 'linux-x64/stalltrace-agent', bytes: 1, version: '0.1.0' },
    { arch: 'arm64', path: 'linux-arm64/stalltrace-agent', bytes: 1, version: '0.1.0' },
  ];
  expect(recordingHint({ built, missing: [] })).toBe(
    'To record one, press “Capture from a GPU host…”, or run “sudo stalltrace-agent record -- python train.py” on the Linux machine with the GPU; the agent is out/agent/linux-x64/stalltrace-agent or out/agent/linux-arm64/stalltrace-agent in the folder of Stalltrace.',
  );
});

test('says why there is none, and what to do', () => {
  const missing = [{ arch: 'x64', why: 'clang is missing', next: 'apt-get install clang' }];
  expect(recordingHint({ built: [], missing })).toBe(
    'To record one, the capture agent is needed, which is not here: clang is missing; apt-get install clang.',
  );
});
