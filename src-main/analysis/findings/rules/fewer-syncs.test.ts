import { expect, test } from 'vitest';
import type { Row } from '../../testing/build-trace.ts';
import { buildFacts, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { fewerSyncs } from './fewer-syncs.ts';

function facts(perStep: number, after: 'copy' | 'launch', apartNs = 1) {
  const rows: Row<'cuda_call'>[] = Array.from({ length: perStep * 200 }, (_, at) => ({
    startNs: Math.floor((at * ((10 * SECOND) / (perStep * 200))) / apartNs) * apartNs,
    durationNs: 1000,
    thread: 0,
    op: at % 2 === 1 ? 2 : after === 'copy' ? 0 : 1,
    direction: after === 'copy' && at % 2 === 0 ? 1 : 0,
    stack: 0,
    parent: -1,
  }));
  return buildFacts({
    trace: {
      names: [
        ['CUDA', 'cudaMemcpyAsync'],
        ['CUDA', 'cudaLaunchKernel'],
        ['CUDA', 'cudaStreamSynchronize'],
      ],
      rows: { cuda_call: rows },
      stacks: [
        [
          {
            symbol: 'item',
            file: '/usr/lib/python3/dist-packages/torch/_tensor.py',
            line: 9,
            language: 'python',
          },
          { symbol: 'train', file: '/home/me/train.py', line: 41, language: 'python' },
        ],
      ],
    },
  });
}

test('counts them by step and names the line, which is the user’s', () => {
  const judgement = fewerSyncs.judge(facts(12, 'launch'));
  expect(judgement?.sentence).toContain('12 times a step, most of them in train (train.py:41)');
  expect(judgement?.evidence[2].text).toBe('train (train.py:41) makes 12.0 of them a step');
});

test('blames the function that makes most of them', () => {
  expect(fewerSyncs.judge(facts(12, 'launch'))?.culprit).toBe('train');
});

test('a sync that ends a copy is the copy’s', () => {
  expect(fewerSyncs.judge(facts(12, 'copy'))).toBeUndefined();
});

test('one or two a step are how loops are written', () => {
  expect(fewerSyncs.judge(facts(2, 'launch'))).toBeUndefined();
});

test('claims no time: it cannot be told', () => {
  expect(fewerSyncs.judge(exampleFacts('fewer-syncs'))?.claims).toBeUndefined();
});

test('says where they are not at every step', () => {
  expect(fewerSyncs.judge(facts(12, 'launch'))?.sentence).not.toContain('average');
  expect(fewerSyncs.judge(facts(12, 'launch', SECOND))?.sentence).toContain(
    '12 times a step on average, every 10 steps, most of them in',
  );
});
