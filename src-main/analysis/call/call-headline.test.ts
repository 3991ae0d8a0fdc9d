import { describe, expect, test } from 'vitest';
import type { AccountingPart, Contender, Contention } from '../../shared/answers/explanation.ts';
import { noEvents } from '../../shared/model/event-ref.ts';
import { headlineOf } from './call-headline.ts';

const part = (kind: AccountingPart['kind'], ns: number): AccountingPart => ({
  kind,
  ns,
  reason: '',
  basis: 'exact',
  events: noEvents,
});
const nobody: Contention = {
  ...{ runnableNs: 0, othersRanNs: 0, throttledNs: 0, idleNs: 0, unknownNs: 0 },
  contenders: [],
  note: '',
};
const headline = (accounting: AccountingPart[], contention = nobody) =>
  headlineOf(
    {
      call: { durationNs: 10e6 },
      accounting,
      contention,
      rank: { of: 1 },
      switchesRecorded: true,
      stretches: 'in 2 stretches',
    } as unknown as Parameters<typeof headlineOf>[0],
    'other',
  );

test('a figure that is the one before is not said twice', () => {
  expect(headline([part('runnable', 8e6), part('running', 2e6)])).toBe(
    'Off the CPU for 80.0 % of its time: 8.000 ms in 2 stretches; all of it waiting for a CPU.',
  );
  expect(headline([part('runnable', 3e6), part('blocked', 5e6), part('running', 2e6)])).toBe(
    'Off the CPU for 80.0 % of its time: 8.000 ms in 2 stretches; 3.000 ms of it waiting for a CPU.',
  );
});

describe('time off the CPU that went to one thing', () => {
  const contender = (name: string, pid: number, ns: number, cpus = [1]) =>
    ({ name, pid, ns, cpus: cpus.map((cpu) => ({ cpu, ns })) }) as unknown as Contender;
  const waited = (contention: Partial<Contention>) =>
    headline([part('runnable', 8e6), part('running', 2e6)], { ...nobody, ...contention });

  test('names the one that ran instead', () => {
    const contenders = [contender('DataLoader worker 3', 2256, 8e6)];
    expect(waited({ othersRanNs: 8e6, contenders })).toBe(
      'Waited 8.000 ms of 10.00 ms for CPU 1 while DataLoader worker 3 (pid 2256) ran.',
    );
  });

  test('says of several how much the first took', () => {
    const most = [contender('xz', 7, 6e6), contender('python3', 8, 2e6)];
    expect(waited({ othersRanNs: 8e6, contenders: most })).toBe(
      'Waited 8.000 ms of 10.00 ms for CPU 1 while xz (pid 7, 75.0 % of the wait) and others ran.',
    );
    const few = [contender('xz', 7, 3e6), contender('a', 8, 2.9e6), contender('b', 9, 2.1e6)];
    expect(waited({ othersRanNs: 8e6, contenders: few })).toBe(
      'Waited 8.000 ms of 10.00 ms for a CPU while others ran, most of all xz (pid 7, 37.5 % of the wait).',
    );
  });

  test('names nobody where a quota or an idle CPU kept it waiting', () => {
    expect(waited({ throttledNs: 8e6 })).toBe(
      'Waited 8.000 ms of 10.00 ms for a CPU: a CPU quota kept it from running, nobody ran instead.',
    );
    expect(waited({ idleNs: 8e6 })).toBe(
      'Waited 8.000 ms of 10.00 ms to be put on a CPU that was idle.',
    );
  });

  test('says what it was blocked on', () => {
    const onDisk = {
      ...part('blocked', 8e6),
      detail: 'disk',
      reason: 'waited for the disk',
    } as const;
    expect(headline([onDisk, part('running', 2e6)])).toBe(
      'Blocked for 8.000 ms of 10.00 ms: it waited for the disk.',
    );
  });
});
