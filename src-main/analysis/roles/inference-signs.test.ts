import { expect, test } from 'vitest';
import { buildTrace, type TracePlan } from '../testing/build-trace.ts';
import { withRoles } from './roles.ts';

const [LAUNCH, BACKWARD] = [0, 1];
/** Of x86-64. */
const FUTEX = 202;
const LIBRARIES = '/usr/lib/python3/dist-packages';

interface Job {
  readonly commandLine?: string;
  /** `function (file)` of what makes its CUDA calls, from the outermost. */
  readonly frames?: readonly string[];
  readonly rows?: TracePlan['rows'];
  readonly set?: Parameters<typeof withRoles>[1];
}

/** A process that makes CUDA calls and waits for others, as most do. */
function processOf({ commandLine = 'python3 run.py', frames = [], rows, set }: Job) {
  const stack = frames.toReversed().map((frame) => {
    const [, symbol, file] = /^(\S+) \((.+)\)$/.exec(frame) ?? [];
    return { symbol, file, line: 1, language: 'python' as const };
  });
  const trace = buildTrace({
    names: [
      ['CUDA', 'cudaLaunchKernel'],
      ['ANNOTATION', 'backward'],
    ],
    machine: { cpuModel: 'AMD EPYC' },
    processes: [{ pid: 1, name: 'python3', commandLine }],
    threads: [{ tid: 1, process: 0 }],
    ...(stack.length > 0 && { stacks: [stack] }),
    rows: {
      cuda_call: [{ thread: 0, op: LAUNCH, ...(stack.length > 0 && { stack: 0 }) }],
      off_cpu: [{ thread: 0, state: 1, runQueueNs: 0, syscall: FUTEX }],
      ...rows,
    },
  });
  return withRoles(trace, set).processes[0];
}

test.each([
  ['a script', 'its CUDA calls come from main (/job/infer.py)', ['main (/job/infer.py)']],
  [
    'a method',
    'its CUDA calls come from Detector.predict (/job/boxes.py)',
    ['main (/job/run.py)', 'Detector.predict (/job/boxes.py)', 'forward (/job/net.py)'],
  ],
  [
    'a library',
    `its CUDA calls come from greedy_search (${LIBRARIES}/transformers/generation/utils.py)`,
    ['main (/job/run.py)', `greedy_search (${LIBRARIES}/transformers/generation/utils.py)`],
  ],
  [
    'what PyTorch calls a function without gradients with',
    'its CUDA calls come from a function that computes no gradients',
    ['main (/job/run.py)', `decorate_context (${LIBRARIES}/torch/utils/_contextlib.py)`],
  ],
  [
    'the same before PyTorch 2',
    'its CUDA calls come from a function that computes no gradients',
    ['main (/job/run.py)', `decorate_context (${LIBRARIES}/torch/autograd/grad_mode.py)`],
  ],
])('a loop that only runs its model is told by %s', (_, why, frames) => {
  const { role, roleBasis } = processOf({ frames });
  expect(role).toBe('inference');
  expect(roleBasis).toBe(
    `${why}, and nothing shows that it trains; makes the only CUDA call of this trace`,
  );
});

test('it is told by its command line too', () => {
  const { role, roleBasis } = processOf({ commandLine: 'python3 -m tools.embed_texts --gpu 0' });
  expect(role).toBe('inference');
  expect(roleBasis).toMatch('started as “embed”');
  for (const commandLine of [
    'python3 embeddedness.py',
    'python3 main.py --embed-dim 512',
    'python3 main.py data/embeddings',
  ])
    expect(processOf({ commandLine }).role).toBe('main');
  for (const commandLine of ['python3 -u predict.py data', 'python3 main.py predict --gpu 0'])
    expect(processOf({ commandLine }).role).toBe('inference');
});

test.each<[string, Job]>([
  ['nothing says what it does', { frames: ['main (/job/run.py)'] }],
  ['it is called a training', { commandLine: 'python3 train.py --predict-every 10' }],
  ['a range is one of autograd', { rows: { range: [{ thread: 0, op: BACKWARD }] } }],
  [
    'it steps an optimizer without gradients',
    {
      frames: [
        'main (/job/predict.py)',
        `decorate_context (${LIBRARIES}/torch/utils/_contextlib.py)`,
        `Adam.step (${LIBRARIES}/torch/optim/adam.py)`,
      ],
    },
  ],
])('it trains, as far as is known, where %s', (_, job) => {
  expect(processOf({ frames: ['predict (/job/run.py)'], ...job }).role).toBe('main');
});

test('what the user says stands', () => {
  const frames = ['predict (/job/run.py)'];
  expect(processOf({ frames, set: [{ pid: 1, role: 'main' }] }).role).toBe('main');
  expect(processOf({ set: [{ pid: 1, role: 'inference' }] }).role).toBe('inference');
});
