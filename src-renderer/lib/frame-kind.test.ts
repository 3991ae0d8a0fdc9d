import { expect, test } from 'vitest';
import type { FlameFrame } from '../../src-main/shared/answers/flame.ts';
import { type FrameKind, frameKind } from './frame-kind.ts';

const site = '/usr/lib/python3/site-packages';

test.each<[FlameFrame['language'], string | undefined, FrameKind]>([
  ['python', '/home/me/train.py', 'python'],
  ['python', '/home/me/torch_utils/train.py', 'python'],
  ['python', `${site}/torch/utils/data/dataloader.py`, 'framework'],
  ['python', 'torch/utils/data/dataloader.py', 'framework'],
  ['python', 'C:\\lib\\site-packages\\torch\\nn\\module.py', 'framework'],
  ['python', `${site}/PIL/Image.py`, 'python'],
  ['native', 'libtorch_cpu.so', 'framework'],
  ['native', `${site}/torch/lib/libc10_cuda.so`, 'framework'],
  ['native', '/usr/lib/libc.so.6', 'native'],
  ['native', '/usr/bin/python3.11', 'native'],
  ['native', undefined, 'native'],
  ['native', '[kernel]', 'kernel'],
  ['native', '[kernel.kallsyms]_text', 'kernel'],
  ['native', '[vdso]', 'native'],
  ['python', '[kernel]', 'python'],
  ['gpu', undefined, 'gpu'],
  ['role', undefined, 'role'],
])('a %s frame of %s is %s', (language, file, kind) => {
  expect(frameKind({ symbol: 'f', language, ...(file !== undefined && { file }) })).toBe(kind);
});

test.each(['aten::addmm', 'ProfilerStep#12', 'Optimizer.step#SGD.step', 'AddmmBackward0'])(
  'what PyTorch writes of itself is its own: %s',
  (symbol) => {
    expect(frameKind({ symbol, language: 'native' })).toBe('framework');
    expect(frameKind({ symbol, language: 'native', file: 'train.so' })).toBe('native');
  },
);
