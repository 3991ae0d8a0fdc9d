import { describe, expect, test } from 'vitest';
import type { Frame } from '../../shared/model/stacks.ts';
import type { ProcessInfo } from '../../shared/model/trace.ts';
import { STATUS_CHECK_MS } from '../index/loader-polls.ts';
import { buildTrace, type Row } from '../testing/build-trace.ts';
import { asleep, byTimer, calls, wokenBy } from '../testing/loader-trace.ts';
import { withRoles } from './roles.ts';

const ALONE = 'forked by a Python process without exec';
const python = (symbol: string, file: string): Frame => ({
  symbol,
  file,
  line: 1,
  language: 'python',
});
const LOOP_STACK = 0;
const OWN_STACK = 1;
const stacks = [
  [
    python('Rows.__getitem__', '/home/u/data.py'),
    python('_worker_loop', '/lib/torch/utils/data/_utils/worker.py'),
  ],
  [python('answer', '/home/u/train.py')],
];

const MAIN = 0;
const CHILD = 1;
const SECOND = 2;
const THIRD = 3;

interface Seen {
  readonly off_cpu?: readonly Row<'off_cpu'>[];
  readonly cpu_sample?: readonly Row<'cpu_sample'>[];
}

type Child = Partial<ProcessInfo> & Pick<ProcessInfo, 'pid' | 'role'>;

const child = (pid: number, more: Partial<ProcessInfo> = {}): Child => ({
  ...{ pid, name: 'python3', parent: 0, startNs: pid * 1e6 },
  role: 'dataloader-worker',
  roleBasis: ALONE,
  ...more,
});

/** A training process and its children, which the recorder called workers. */
function childrenOf(rows: Seen, children: readonly Child[] = [child(11)]) {
  const processes = [{ pid: 10, name: 'python3', role: 'main' } as const, ...children];
  const trace = buildTrace({
    ...{ stacks, processes },
    threads: processes.map(({ pid, role }, process) => ({ tid: pid, process, role })),
    // What a child is taken for is seen where the trace says what threads wait in.
    rows: {
      ...rows,
      off_cpu: [asleep(MAIN, 0, 1, { syscall: calls.sleep }), ...(rows.off_cpu ?? [])],
    },
  });
  return withRoles({ ...trace, hosts: [{ cpuModel: 'Intel Xeon' }] });
}

const rolesOf = (...plan: Parameters<typeof childrenOf>) =>
  childrenOf(...plan).processes.map(({ role }) => role);

const patient = { syscall: calls.poll, syscallArg2: STATUS_CHECK_MS };

describe('a child that goes on in Python', () => {
  test.each([
    ['nothing is known of it', {}],
    [
      'it answers in a pipe',
      { off_cpu: [asleep(MAIN, 1, 9, { syscall: calls.read, ...wokenBy(CHILD) })] },
    ],
    [
      'it waits for what to answer, with less patience',
      { off_cpu: [asleep(CHILD, 1, 9, { ...patient, syscallArg2: 1000, ...wokenBy(MAIN) })] },
    ],
    [
      'it reads what to answer',
      { off_cpu: [asleep(CHILD, 1, 9, { syscall: calls.read, ...wokenBy(MAIN) })] },
    ],
    ['its stack is its own', { cpu_sample: [{ startNs: 1, thread: CHILD, stack: OWN_STACK }] }],
    [
      'somebody else woke it',
      { off_cpu: [asleep(CHILD, 1, 9, { ...patient, ...wokenBy(CHILD) })] },
    ],
  ])('is a process of the job’s own where %s', (_, rows) => {
    const { processes, threads } = childrenOf(rows);
    expect([processes[CHILD].role, threads[CHILD].role]).toEqual(['other', 'other']);
    expect(processes[CHILD].roleBasis).toBe(
      `${ALONE}, but nothing shows PyTorch’s loader in it: a child of the job’s own`,
    );
  });

  test.each<readonly [string, Seen]>([
    ['its loop is on a stack', { cpu_sample: [{ startNs: 1, thread: CHILD, stack: LOOP_STACK }] }],
    ['it waits in its loop', { off_cpu: [asleep(CHILD, 1, 9, { stack: LOOP_STACK, ...byTimer })] }],
    [
      'it was asked for a batch',
      { off_cpu: [asleep(CHILD, 1, 9, { ...patient, ...wokenBy(MAIN) })] },
    ],
    ['nobody asked for one', { off_cpu: [asleep(CHILD, 1, 9, { ...patient, ...byTimer })] }],
    [
      'a batch was waited for, on a busy machine',
      { off_cpu: [asleep(MAIN, 1, 9, { ...patient, syscallArg2: 4998, ...wokenBy(CHILD) })] },
    ],
  ])('is a worker where %s', (_, rows) => {
    const { processes, threads } = childrenOf(rows);
    expect(processes[CHILD]).toMatchObject({ role: 'dataloader-worker', roleBasis: ALONE });
    expect(threads[CHILD].role).toBe('dataloader-worker');
  });

  test('is a worker between two, but not after them', () => {
    const off_cpu = [CHILD, THIRD].map((thread) =>
      asleep(thread, 1, 9, { ...patient, ...byTimer }),
    );
    const roles = rolesOf({ off_cpu }, [child(11), child(12), child(13), child(14)]);
    const worker = 'dataloader-worker';
    expect(roles).toEqual(['main', worker, worker, worker, 'other']);
  });

  test('is none where a worker started it, whose frames it inherits', () => {
    const inLoop = [CHILD, SECOND].map((thread) => ({ startNs: 1, thread, stack: LOOP_STACK }));
    const roles = rolesOf({ cpu_sample: inLoop }, [child(11), child(12, { parent: 1 })]);
    expect(roles).toEqual(['main', 'dataloader-worker', 'other']);
  });

  test('is believed where its recorder leaves out what threads wait in, and where it saw the loop itself', () => {
    const trace = childrenOf({}, [child(11, { roleBasis: "runs DataLoader's worker loop" })]);
    expect(trace.processes[CHILD].role).toBe('dataloader-worker');
    const { off_cpu } = trace.tables;
    const absent = { kind: 'absent', note: '' } as const;
    const { syscall: _, ...columns } = off_cpu.columns;
    const blind = { ...off_cpu, columns, columnProvenance: { syscall: absent } };
    const born = trace.processes.map((process, at) =>
      at === CHILD ? { ...process, roleBasis: ALONE } : process,
    );
    const judged = withRoles({
      ...trace,
      processes: born,
      tables: { ...trace.tables, off_cpu: blind },
    });
    expect(judged.processes[CHILD].role).toBe('dataloader-worker');
  });
});
