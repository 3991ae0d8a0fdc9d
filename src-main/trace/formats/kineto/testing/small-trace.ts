/** A step of a training loop as PyTorch's profiler writes it, small: made by hand after real files. */
const BEGIN_US = 1_712_195_495_406_752;

function event(at: number, durationUs: number, fields: object): object {
  return { ph: 'X', ts: BEGIN_US + at, dur: durationUs, pid: 100, tid: 100, ...fields };
}

const launch = (at: number, name: string, correlation: number, durationUs = 5) =>
  event(at, durationUs, { cat: 'cuda_runtime', name, args: { cbid: 211, correlation } });

const onGpu = (at: number, durationUs: number, cat: string, name: string, args: object) =>
  event(at, durationUs, {
    cat,
    name,
    pid: 1,
    tid: 7,
    args: { device: 1, context: 1, stream: 7, ...args },
  });

export const smallEvents: readonly object[] = [
  event(0, 1000, {
    cat: 'Trace',
    name: 'PyTorch Profiler (0)',
    pid: 'Spans',
    tid: 'PyTorch Profiler',
  }),
  event(10, 900, { cat: 'user_annotation', name: 'ProfilerStep#3', args: { 'External id': 1 } }),
  event(12, 300, {
    cat: 'user_annotation',
    name: 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__',
  }),
  event(320, 90, { cat: 'cpu_op', name: 'aten::to', args: { 'Input Dims': [[32, 3], []] } }),
  launch(330, 'cudaMemcpyAsync', 11, 40),
  launch(450, 'cudaLaunchKernel', 12),
  launch(460, 'cudaMemsetAsync', 13),
  { ph: 's', id: 12, pid: 100, tid: 100, ts: BEGIN_US + 450, cat: 'ac2g', name: 'ac2g' },
  onGpu(340, 25.125, 'gpu_memcpy', 'Memcpy HtoD (Pageable -> Device)', {
    correlation: 11,
    bytes: 4096,
    'memory bandwidth (GB/s)': 1.5,
  }),
  onGpu(500, 100, 'kernel', 'void add<float>(float*)', {
    correlation: 12,
    grid: [4, 2, 1],
    block: [256, 1, 1],
  }),
  onGpu(601, 1, 'gpu_memset', 'Memset (Device)', { correlation: 13, bytes: 64 }),
  onGpu(340, 262, 'gpu_user_annotation', 'ProfilerStep#3', {}),
  {
    ph: 'i',
    cat: 'cpu_instant_event',
    s: 't',
    name: '[memory]',
    pid: 100,
    tid: 100,
    ts: BEGIN_US + 400,
    args: { Bytes: 512 },
  },
  { ph: 'M', name: 'process_name', pid: 100, tid: 0, ts: BEGIN_US, args: { name: 'python' } },
  {
    ph: 'M',
    name: 'thread_name',
    pid: 100,
    tid: 100,
    ts: BEGIN_US,
    args: { name: 'thread 100 (python)' },
  },
];

export const smallBeside = {
  schemaVersion: 1,
  deviceProperties: [
    { id: 0, name: 'A100', totalGlobalMem: 42_505_273_344 },
    { id: 1, name: 'A100', totalGlobalMem: 42_505_273_344 },
  ],
  distributedInfo: { backend: 'nccl', rank: 1, world_size: 2 },
  username: 'secret-user',
};

export const smallKineto = JSON.stringify({ ...smallBeside, traceEvents: smallEvents }, null, 2);
