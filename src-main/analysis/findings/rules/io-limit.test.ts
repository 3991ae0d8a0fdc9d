import { expect, test } from 'vitest';
import { buildFacts, cell, MS, SECOND } from '../testing/build-facts.ts';
import { exampleFacts } from '../testing/examples.ts';
import { heldBackWrites } from '../testing/host-examples.ts';
import { heldBack } from '../testing/input-examples.ts';
import { checkpoint } from './checkpoint.ts';
import { diskBound } from './disk-bound.ts';
import { ioLimit } from './io-limit.ts';

const judge = (limit: number, done: number, waitNs: number) =>
  ioLimit.judge(exampleFacts('io-limit', { trace: heldBack(limit, done, waitNs) }));

test('a limit that is used up, and waits longer than the device takes', () => {
  const judgement = judge(12, 11.9, 400 * MS);
  expect(judgement?.title).toBe('An I/O limit of 12.0 MiB/s holds back the reading of data');
  expect(judgement?.sentence).toContain(
    'is limited to 12.0 MiB/s from vda, and did 11.9 MiB/s on average. The training loop waited 3.000 s',
  );
  expect(judgement?.evidence[1]?.text).toContain('took 400.0 ms, the device 5.000 ms for a read');
  expect(judgement?.fix.after).toContain('rbps=max');
});

test('a device whose name could be a command is none, and a number stands for itself', () => {
  const fixOf = (device: string) => {
    const trace = heldBack(12, 11.9, 400 * MS);
    const names = trace.names?.map(
      ([category, name]) => [category, name.replace('vda', device)] as const,
    );
    const plan = exampleFacts('io-limit', { trace: { ...trace, names: names ?? [] } });
    return ioLimit.judge(plan)?.fix.after;
  };
  for (const device of ['vda$(id)', 'vda;id', 'vda id', '`id`', '!id', '"'])
    expect(fixOf(device)).toBeUndefined();
  expect(fixOf('cciss/c0d0')).toContain('/dev/cciss/c0d0 |');
  expect(fixOf('8:16')).toBe('echo "8:16 rbps=max" > "$CGROUP/io.max"');
});

test('requests of a device whose number is longer are not those of the limited one', () => {
  const confidence = (device: string, requested: string) => {
    const trace = heldBack(12, 11.9, 400 * MS);
    const names = trace.names?.map(
      ([source, name]) =>
        [source, name.replace('vda', source === '' ? requested : device)] as const,
    );
    const plan = exampleFacts('io-limit', { trace: { ...trace, names: names ?? [] } });
    return ioLimit.judge(plan)?.confidence;
  };
  expect(confidence('dm-1', 'dm-10')).toBe('possible');
  expect(confidence('nvme0n1', 'nvme0n10')).toBe('possible');
  expect(confidence('nvme0n1', 'nvme0n1p2')).toBe('likely');
  expect(confidence('sda', 'sda1')).toBe('likely');
});

test('workers that read and write below limits wait for each of them a part of the time', () => {
  const { trace } = heldBackWrites(18, 5 * MS);
  const first = trace?.names?.length ?? 0;
  const writes = trace?.rows?.off_cpu?.map((row) => ({ ...row, thread: 1 })) ?? [];
  const reads = writes.map((row) => ({
    ...row,
    startNs: (row.startNs ?? 0) + 5 * SECOND,
    syscall: 0,
  }));
  const samples = [12, 11.9].flatMap((value, at) =>
    Array.from({ length: 10 }, (_, second) => ({
      ...{ startNs: second * SECOND, metric: first + at, value, gpu: -1 },
    })),
  );
  const facts = exampleFacts('io-limit', {
    trace: {
      ...trace,
      names: [
        ...(trace?.names ?? []),
        ['HOST', 'I/O limit, reads of vda (MiB/s)'],
        ['HOST', 'I/O under a limit, reads of vda (MiB/s)'],
      ],
      processes: [{ pid: 100 }, { pid: 101 }],
      threads: [
        { tid: 100, process: 0 },
        { tid: 101, process: 1 },
      ],
      rows: {
        ...trace?.rows,
        off_cpu: [...writes, ...reads],
        sample: [...(trace?.rows?.sample ?? []), ...samples],
      },
    },
  });
  const judgement = ioLimit.judge(facts);
  expect(judgement?.title).toContain('the reading of data, and another one the writing of files');
  expect(judgement?.sentence).toContain('waited 1.500 s (15.0 % of the time) for data from a disk');
  expect(judgement?.sentence).toContain(
    'waited 1.500 s (15.0 % of the time) until files were written',
  );
  expect(facts.costs.map((each) => judgement?.claimPart?.(each) ?? 0)).toEqual([1, 0]);
});

test('one that is not used up holds nobody back', () => {
  expect(judge(12, 9, 400 * MS)).toBeUndefined();
});

test('nor one that a slow disk just reaches', () => {
  expect(judge(12, 11.9, 9 * MS)).toBeUndefined();
});

test('what is held back is not blamed on the disk', () => {
  const told = (done: number) =>
    diskBound.judge(exampleFacts('io-limit', { trace: heldBack(12, done, 400 * MS) }))?.title;
  expect([told(11.9), told(5)]).toEqual([undefined, 'Batches wait for the disk']);
});

test('without the requests of the device it is possible at most', () => {
  const trace = heldBack(12, 11.9, 400 * MS);
  const facts = exampleFacts('io-limit', {
    trace: { ...trace, rows: { ...trace.rows, block_io: [] } },
  });
  expect(ioLimit.judge(facts)?.confidence).toBe('possible');
});

test('a limit on writing that is used up while the loop saves is told, not that it saves', () => {
  const facts = buildFacts(heldBackWrites(18, 5 * MS));
  const judgement = ioLimit.judge(facts);
  expect(judgement?.title).toBe('An I/O limit of 20.0 MiB/s holds back the writing of files');
  expect(judgement?.sentence).toBe(
    'The job’s control group is limited to 20.0 MiB/s on vda, and wrote 90.0 MiB in the seconds in which the job waited 4.500 s for its writes. The training loop waited 4.500 s (45.0 % of the time) until files were written in keep (train.py:70), mostly for /data/model.pt (ext4).',
  );
  expect(judgement?.evidence[1]?.text).toContain('vda had nothing to do for 94.4 % of these waits');
  expect(judgement?.confidence).toBe('likely');
  expect(judgement?.fix.after).toContain('wbps=max');
  expect(judgement?.fix.text).toContain(
    'writes at 45.0 % of this limit on average: a background thread that writes from a copy keeps up',
  );
  expect(checkpoint.judge(facts)).toBeUndefined();
});

test('a disk that is busy all the time, and a limit that is not used up, leave it to the saving', () => {
  const told = (done: number, busyNs: number) => {
    const facts = buildFacts(heldBackWrites(done, busyNs));
    return [ioLimit.judge(facts)?.title, checkpoint.judge(facts)?.title];
  };
  const saves = [undefined, 'The training loop stands still while it saves in keep (train.py:70)'];
  expect(told(18, 80 * MS)).toEqual(saves);
  expect(told(12, 5 * MS)).toEqual(saves);
});

test('what is written while nobody waits does not use a limit up for those who wait', () => {
  const plan = heldBackWrites(18, 5 * MS);
  // 450 ms in each second: meanwhile 9 MiB are written, in all of the second.
  const off_cpu = plan.trace?.rows?.off_cpu?.map((row) => ({
    ...row,
    startNs: 2 * (row.startNs ?? 0),
  }));
  const sample = plan.trace?.rows?.sample?.map((row) =>
    row.value === 20 ? row : { ...row, value: 9 },
  );
  const rows = { ...plan.trace?.rows, off_cpu: off_cpu ?? [], sample: sample ?? [] };
  expect(ioLimit.judge(buildFacts({ ...plan, trace: { ...plan.trace, rows } }))).toBeUndefined();
});

test('nor do waits for files of another machine tell of a disk of this one', () => {
  const plan = heldBackWrites(18, 5 * MS);
  const told = (fileSystem: string) => {
    const names = plan.trace?.names?.map(
      ([source, name]) => [source, name.replace('model.pt (ext4)', fileSystem)] as const,
    );
    return ioLimit.judge(buildFacts({ ...plan, trace: { ...plan.trace, names: names ?? [] } }))
      ?.title;
  };
  expect(told('model.pt (nfs4)')).toBeUndefined();
  expect(told('model.pt (nfs4 of nas:/runs)')).toBeUndefined();
  expect(told('model.pt (fuse.sshfs)')).toBeUndefined();
  expect(told('model.pt (xfs)')).toBeDefined();
});

test('what else takes long while it saves is told as before', () => {
  const plan = heldBackWrites(18, 5 * MS);
  const costs = [
    ...(plan.costs ?? []),
    cell('other', 'main', 'running', SECOND, { activity: 'checkpoint' }),
  ];
  expect(checkpoint.judge(buildFacts({ ...plan, costs }))).toBeDefined();
});

test('workers that write, as to a cache of the data set, wait for no disk that could be faster', () => {
  const { trace } = heldBackWrites(18, 5 * MS);
  const off_cpu = trace?.rows?.off_cpu?.map((row) => ({ ...row, thread: 1 })) ?? [];
  const facts = exampleFacts('disk-bound', {
    trace: {
      ...trace,
      processes: [{ pid: 100 }, { pid: 101 }],
      threads: [
        { tid: 100, process: 0 },
        { tid: 101, process: 1 },
      ],
      rows: { ...trace?.rows, off_cpu },
    },
  });
  expect(ioLimit.judge(facts)?.sentence).toContain(
    'waited 3.000 s (30.0 % of the time) until files were written',
  );
  expect(diskBound.judge(facts)).toBeUndefined();
});

test('without requests of the device a limit on writing is possible at most', () => {
  const plan = heldBackWrites(18, 5 * MS);
  const rows = { ...plan.trace?.rows, block_io: [] };
  expect(ioLimit.judge(buildFacts({ ...plan, trace: { ...plan.trace, rows } }))?.confidence).toBe(
    'possible',
  );
});
