import { expect, test } from 'vitest';
import { NONE } from '../../../shared/model/schema.ts';
import type { Row } from '../../testing/build-trace.ts';
import { buildFacts, cell, type FactsPlan, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { SYSCALL, waitRows } from '../testing/host-examples.ts';
import { checkpoint } from './checkpoint.ts';
import { packing } from './packing.ts';

const native = (symbol: string, file = '[kernel]') => ({
  ...{ symbol, file },
  language: 'native' as const,
});
const saving = [
  {
    ...{ symbol: 'save', file: '/usr/lib/python3/dist-packages/torch/serialization.py', line: 423 },
    language: 'python' as const,
  },
  { symbol: 'keep', file: '/home/me/train.py', line: 70, language: 'python' as const },
];
/** On a CPU in each of these, and the waits of fsync. */
const stacks = [
  [native('copy_folio_from_iter'), native('generic_perform_write'), native('ksys_write')],
  [native('mpage_submit_folio'), native('vfs_fsync_range'), native('__x64_sys_fsync')],
  [native('ext4_truncate'), native('do_sys_openat2')],
  [native('crc32_fast', 'libtorch_cpu.so')],
  [],
].map((own) => [...own, ...saving]);

/** Each 2 s, for 400 ms: 300 ms on a CPU, sampled every 10 ms, by these numbers of samples, and 100 ms in fsync. */
function plan(counts: readonly number[], more: FactsPlan['trace'] = {}): FactsPlan {
  const each = counts.flatMap((count, stack) => Array<number>(count).fill(stack));
  const saves = [0, 1, 2, 3, 4].map((save) => save * 2 * SECOND);
  const cpu_sample = saves.flatMap((startNs) =>
    each.map((stack, at) => ({ startNs: startNs + (at * 10 + 5) * MS, thread: 0, stack })),
  );
  const off_cpu = waitRows({
    ...{
      count: 5,
      everyNs: 2 * SECOND,
      startNs: 300 * MS,
      durationNs: 100 * MS,
      state: 2,
      ioWait: 1,
    },
    ...{ syscall: SYSCALL.fsync, file: 0, wakerContext: 3 },
  });
  return {
    costs: [
      cell('other', 'main', 'running', 1.5 * SECOND, { activity: 'checkpoint' }),
      cell('other', 'main', 'disk', 0.5 * SECOND, { activity: 'checkpoint' }),
    ],
    hostTime: {
      startsNs: Float64Array.from(saves),
      endsNs: Float64Array.from(saves, (ns) => ns + 400 * MS),
    },
    trace: {
      threads: [
        { tid: 100, process: 0, role: 'main' },
        { tid: 200, process: 1, name: 'sshfs' },
      ],
      processes: [
        { pid: 100, role: 'main', parent: -1 },
        { pid: 200, name: 'sshfs', parent: -1 },
      ],
      names: [
        ['FILE', '/data/model.pt (ext4)'],
        ['IO', 'write'],
        ['IO', 'discard'],
        ['', 'nvme0n1'],
      ],
      stacks,
      rows: { cpu_sample, off_cpu: off_cpu.map((row) => ({ ...row, stack: NONE })) },
      machine: { cpuModel: 'Intel Xeon' },
      ...more,
    },
  };
}

const judged = (facts: FactsPlan) => checkpoint.judge(buildFacts(facts));

test('says what saving went to, by its samples and its waits', () => {
  expect(judged(plan([12, 3, 6, 9]))?.sentence).toContain(
    'By samples and waits that was: fsync 32.5 %, writing to files 30.0 %, putting together on a CPU what is written 22.5 %, opening and renaming files 15.0 %; for 25.0 % it waited for the disk.',
  );
});

test('where stacks show Python alone, it says what of it is not known, and nothing where that is most', () => {
  expect(judged(plan([18, 0, 0, 0, 12]))?.sentence).toContain(
    'writing to files 45.0 %, fsync 25.0 %, not known 30.0 %;',
  );
  expect(judged(plan([0, 0, 0, 0, 30]))?.sentence).not.toContain('By samples');
});

test('what never comes to a file is packed, and no checkpoint as far as is seen', () => {
  const { trace = {}, ...facts } = plan([0, 0, 0, 30]);
  const packs = { ...facts, trace: { ...trace, rows: { ...trace.rows, off_cpu: [] } } };
  const told = [packs, plan([0, 0, 0, 30]), plan([0, 0, 0, 0, 30])].map((each) =>
    [checkpoint, packing].map((rule) => rule.judge(buildFacts(each))?.title),
  );
  const saves = 'The training loop stands still while it saves in keep (train.py:70)';
  expect(told).toEqual([
    [
      undefined,
      'The training loop stands still while it packs what it sends or keeps in keep (train.py:70)',
    ],
    [saves, undefined],
    [saves, undefined],
  ]);
});

const requests = (startNs: number, thread = 0): Row<'block_io'>[] => [
  { startNs, durationNs: 19 * MS, thread, op: 1, device: 3, bytes: 2 ** 20, queueNs: 2 * MS },
  { startNs: startNs + 1, durationNs: MS, thread, op: 2, device: 3, bytes: 2 ** 20, queueNs: 0 },
];

test('says which disk was asked for what meanwhile, and how long that lay in its queue', () => {
  const { trace = {}, ...facts } = plan([30]);
  const { rows } = trace;
  const told = (block_io: readonly Row<'block_io'>[]) =>
    judged({ ...facts, trace: { ...trace, rows: { ...rows, block_io } } })?.evidence.map(
      ({ text }) => text,
    );
  expect(told(requests(310 * MS))).toEqual(
    expect.arrayContaining([
      'Meanwhile 1 write of 1.000 MiB in all to nvme0n1 took 21.00 ms each (median): 2.000 ms in the queue, 19.00 ms at the device',
      'Meanwhile 1 discard of 1.000 MiB in all on nvme0n1 took 1.000 ms each (median): 0 ns in the queue, 1.000 ms at the device, to free what was overwritten or deleted',
    ]),
  );
  const other = [...requests(900 * MS), ...requests(2_310 * MS, 1)];
  expect(told(other)?.filter((text) => text.startsWith('Meanwhile'))).toEqual([]);
});

test('names the files it waited for where they are several, or a process serves them', () => {
  const waited = (file: string) => {
    const { trace: plain = {}, ...facts } = plan([30]);
    const off_cpu = plain.rows?.off_cpu?.map((row) => ({ ...row, waker: 1, wakerContext: 1 }));
    const names = [['FILE', file] as const, ...(plain.names ?? []).slice(1)];
    const rows = { ...plain.rows, ...(off_cpu && { off_cpu }) };
    const built = buildFacts({ ...facts, trace: { ...plain, names, rows } });
    const { tables } = built.trace;
    const columnProvenance = { file: { kind: 'exact' as const, note: '' } };
    const trace = {
      ...built.trace,
      tables: { ...tables, off_cpu: { ...tables.off_cpu, columnProvenance } },
    };
    return checkpoint
      .judge({ ...built, trace })
      ?.evidence.map(({ text }) => text)
      .filter((text) => text.startsWith('It waited'));
  };
  expect(waited('/mnt/x/model.pt (fuse.sshfs)')).toEqual([
    'It waited mostly for /mnt/x/model.pt (fuse.sshfs, served by sshfs (pid 200))',
  ]);
  expect(waited('/data/model.pt (ext4)')).toEqual([]);
  expect(checkpoint.judge(exampleFacts('checkpoint'))).toBeDefined();
});
