import { describe, expect, test } from 'vitest';
import { symbolOf } from '../../../shared/model/stacks.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { MEMCPY, NVTX, RUNTIME, task, useExports } from './testing/exported.ts';

const { exported, imported } = useExports();

test('ranges of one operator have one name, however PyTorch counted its calls', () => {
  const next = 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__';
  const thread = `${task(5, 5)}, NULL`;
  const trace = imported(
    exported(
      `${NVTX} INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'aten::to, op_id = 7', NULL, NULL, ${thread}),
        (3, 4, 59, 'aten::to, seq = 3, op_id = 8', NULL, NULL, ${thread}), (5, 6, 59, NULL, 1, NULL, ${thread});`,
      { 1: `${next}, op_id = 9` },
    ),
  );
  const names = Array.from(trace.tables.range.columns.op, (at) => trace.names[at]);
  expect(names).toEqual(['aten::to', 'aten::to', next]);
});

test('what waited for a GPU is called by its call, and is on no thread', () => {
  const trace = imported(
    exported(
      `${RUNTIME} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 9, 0, ${task(5, 5)}, 7, 1, 0),
        (1, 9, 0, ${task(6, 6)}, 7, 2, 0), (1, 9, 67, ${task(5, 5)}, 7, 2, 0);
      CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, correlationId INTEGER,
        globalPid INTEGER, syncType INTEGER);
      INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (2, 8, 7, ${task(5)}, 1), (3, 8, 99, ${task(5)}, 1),
        (4, 8, 7, ${task(6)}, 1), (9, 4, 7, ${task(6)}, 1);`,
      { 1: 'cudaStreamSynchronize_v3020', 2: 'cudaEventSynchronize_v3020' },
    ),
  );
  const { op, thread, category } = trace.tables.range.columns;
  expect(Array.from(op, (at) => trace.names[at])).toEqual([
    'cudaStreamSynchronize',
    '(not known)',
    'cudaEventSynchronize',
  ]);
  expect([...thread]).toEqual([-1, -1, -1]);
  expect(trace.names[category[0]]).toBe('cuda_sync');
  expect(trace.notices.map(({ text }) => text).join()).toContain('1 row of the file was left out');
});

test('the code that a call was made in is that of its row, or of the second row of 2022', () => {
  const trace = imported(
    exported(
      `${RUNTIME.replace('returnValue INTEGER', 'returnValue INTEGER, callchainId INTEGER')}
      INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, ${task(5, 5)}, 7, 1, 0, NULL),
        (1, 2, 67, ${task(5, 5)}, 7, 2, 0, 30), (3, 4, 0, ${task(5, 5)}, 8, 1, 0, 31),
        (5, 6, 0, ${task(6, 6)}, 7, 1, 0, NULL), (7, 8, 0, ${task(6, 6)}, 9, 1, 0, 99);
      CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER);
      INSERT INTO CUDA_CALLCHAINS VALUES (30, 3, 4, 1), (30, 1, 5, 0), (31, 3, NULL, 0);`,
      { 1: 'cudaMalloc_v3020', 2: 'cudaMalloc', 3: 'main', 4: '/app/run', 5: '/lib/libcudart.so' },
    ),
  );
  const { stack, op } = trace.tables.cuda_call.columns;
  const framesOf = (at: number): string[] => {
    const { stacks } = trace;
    return at < 0 ? [] : [symbolOf(stacks, stacks.frame[at]), ...framesOf(stacks.prefix[at])];
  };
  expect(op.length).toBe(4);
  expect(Array.from(stack ?? [], framesOf)).toEqual([
    ['cudaMalloc_v3020', 'main'],
    ['main'],
    [],
    [],
  ]);
  expect(trace.tables.cuda_call.columnProvenance.stack?.note).toContain('--cudabacktrace');
  const without = `${RUNTIME} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, ${task(5, 5)}, 7, 1, 0);`;
  const { columnProvenance } = imported(exported(without)).tables.cuda_call;
  expect(columnProvenance.stack?.note).toContain('record with --cudabacktrace=all');
});

test('of the machine its driver is told, and nothing of who used it', () => {
  const described = (driver: string) =>
    imported(
      exported(
        `${MEMCPY} INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, 2, 0, 1, 7, 5, ${task(5)}, 1, 1, 0, 2);
        CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT, value TEXT);
        INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'gpu-1'), ('NvDriverVersion', '${driver}'),
          ('CudaDriverVersion', '12080'), ('CpuDescription', 'unknown'), ('KernelVersion', '#1 SMP Sun Jan 10 2016'), ('DeviceEnvironment', 'TOKEN=1');`,
      ),
    );
  const trace = described('570.172.08');
  expect(trace.gpus).toEqual([{ model: 'GPU 0', driver: '570.172.08' }]);
  expect(trace.hosts).toEqual([{ hostname: 'gpu-1' }]);
  expect(described('52510517').gpus).toMatchObject([{ driver: '525.105.17' }]);
  expect(described('5104703').gpus).toMatchObject([{ driver: '510.47.03' }]);
  expect(described('/home/somebody 1.2').gpus).toEqual([{ model: 'GPU 0' }]);
});

describe('what Nsight Systems warns of', () => {
  const warned = (...texts: readonly string[]) =>
    imported(
      exported(
        `${RUNTIME} ${NVTX} INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 0, ${task(5, 5)}, 1, 1, 0);
        INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'step', NULL, NULL, ${task(5, 5)}, NULL);
        CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT);
        ${texts.map((text) => `INSERT INTO DIAGNOSTIC_EVENT VALUES (2, '${text}');`).join('')}`,
        { 1: 'cudaMalloc' },
      ),
    );
  const kinds = ({ tables }: Trace) => [
    tables.cuda_call.provenance.kind,
    tables.range.provenance.kind,
  ];

  test('makes of all what may be some, and is said', () => {
    const trace = warned('Not all CUDA events might have been collected.');
    expect(kinds(trace)).toEqual(['partial', 'exact']);
    expect(trace.notices.map(({ text }) => text)).toEqual([
      'Nsight Systems warns in this export that it may not have collected all of these: CUDA calls and GPU work. Their counts are “at least” figures.',
    ]);
    const runtime = warned('Not all OS runtime libraries events might have been collected.');
    expect(kinds(runtime)).toEqual(['exact', 'partial']);
  });

  test('of a loss in other words it is taken to mean everything, and none of them is kept', () => {
    const trace = warned('12 events of /home/somebody/train.py were lost.');
    expect(kinds(trace)).toEqual(['partial', 'partial']);
    expect(JSON.stringify([trace.notices, trace.tables])).not.toContain('somebody');
  });

  test('may be of what it did not find, or not trace: that is no loss', () => {
    const trace = warned(
      'No CUDA events collected. Does the process use CUDA?',
      'Unable to collect CPU kernel IP/backtrace samples.',
    );
    expect([kinds(trace), trace.notices]).toEqual([['exact', 'exact'], []]);
  });
});
