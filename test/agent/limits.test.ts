import { getPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { expectWhole, record } from '../support/agent/agent.ts';
import { query, standIn } from '../support/agent/agent-run.ts';
import { cpusetGroup } from '../support/agent/cpuset-group.ts';
import { describeWith } from '../support/requirements.ts';

const JOB = fileURLToPath(new URL('jobs/reads_under_limits.py', import.meta.url));
const MIB = 2 ** 20;

describeWith(['agent', 'bpf', 'cpuset'], 'the CPUs that a job may use', () => {
  test('are told apart: those of its control group, and those of its affinity', async () => {
    const group = cpusetGroup('0');
    onTestFinished(() => group.remove());
    const spin = [standIn('spin'), '0.3', '-1'];
    const told = async (command: readonly string[]) => {
      const recording = await record(command);
      expect(recording.code, recording.stderr).toBe(0);
      const { processes } = expectWhole(recording);
      const job = processes.find(({ name }) => name === 'confined');
      return [job?.cpusAllowed, job?.groupCpus];
    };
    expect(await told([...group.through, ...spin, 'confined'])).toEqual(['0', '0']);
    const [allowed, ofGroup] = await told(['taskset', '-c', '0', ...spin, 'confined']);
    expect(allowed).toBe('0');
    expect(ofGroup).toMatch(/^0[-,]/);
  });

  test('are those that a process chose for itself after its start, as workers of a DataLoader do', async () => {
    const spin = `${standIn('spin')} 2 -1 chooses`;
    const script = `${spin} & chooses=$!; sleep 0.05; taskset -p -c 0 $chooses; wait`;
    const recording = await record(['/bin/sh', '-c', script]);
    expect(recording.code, recording.stderr).toBe(0);
    const { processes } = expectWhole(recording);
    expect(processes.find(({ name }) => name === 'chooses')?.cpusAllowed).toBe('0');
  });
});

describeWith(['agent', 'bpf', 'realTime'], 'who goes first', () => {
  test('is told of each thread, as it was when it last held a CPU that another wanted', async () => {
    const spin = (name: string) => `${standIn('spin')} 1 0 ${name}`;
    // It has run for long enough to be known by then.
    const change = 'sleep 0.1; chrt --fifo --pid 10 $changed';
    const script = `nice -n 19 ${spin('patient')} & ${spin('changed')} & changed=$!; ${change}; wait`;
    const recording = await record(['/bin/sh', '-c', script]);
    expect(recording.code, recording.stderr).toBe(0);
    const trace = expectWhole(recording);
    const told = (name: string) => {
      const thread = trace.threads.find((each) => each.name === name);
      return [thread?.policy, thread?.priority, thread?.nice];
    };
    expect(told('patient')).toEqual(['other', undefined, 19]);
    expect(told('changed')).toEqual(['fifo', 10, getPriority()]);
  });
});

describeWith(
  ['agent', 'bpf', 'memoryLimit'],
  'a job that enters a control group with limits',
  () => {
    test('is followed there: its limits, what it did of them, and its own reclaim', async () => {
      const recording = await record(['/usr/bin/python3', JOB]);
      expect(recording.code, recording.stderr).toBe(0);
      expectWhole(recording);
      const counted = JSON.parse(recording.stdout) as { again: number; hits: number };
      const values = (metric: string) =>
        query(
          recording.file,
          `SELECT value FROM sample JOIN name ON name.id = metric_id WHERE text LIKE '${metric}' ORDER BY start_ns`,
        ).map(({ value }) => Number(value));
      const sum = (metric: string) => values(metric).reduce((total, value) => total + value, 0);

      expect(new Set(values('Control group memory limit (MiB)'))).toEqual(new Set([48]));
      // A second each, without what came before the first sample of the group.
      const again = sum('Control group memory read again (MiB/s)');
      expect(again).toBeGreaterThan(1);
      expect(again).toBeLessThan((counted.again * 4096 * 1.2) / MIB);
      const hits = sum('Control group memory limit hit (times/s)');
      expect(hits).toBeGreaterThan(1);
      expect(hits).toBeLessThan(counted.hits * 1.2);

      expect(new Set(values('I/O limit, reads of %'))).toEqual(new Set([40]));
      expect(sum('I/O under a limit, reads of %')).toBeGreaterThan(1);

      const [reclaim] = query(
        recording.file,
        `SELECT count(*) AS times, sum(process.name = 'python3') AS own
       FROM range JOIN name ON name.id = op_id JOIN thread ON thread.id = thread_id
       JOIN process ON process.id = process_id WHERE text = 'reclaim in the control group'`,
      );
      expect(Number(reclaim?.times)).toBeGreaterThan(0);
      expect(reclaim?.own).toBe(reclaim?.times);
    });
  },
);
