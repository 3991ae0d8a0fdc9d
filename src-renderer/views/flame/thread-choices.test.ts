import { expect, test } from 'vitest';
import { fakeSummary } from '../../../src-main/timeline/testing/fake-summary.ts';
import { threadChoices } from './thread-choices.ts';

const process = { name: 'python3', parent: -1, role: 'main', roleBasis: '' } as const;
const thread = { tid: 2233, name: '', role: 'main' } as const;

const choicesOn = (hosts: readonly { hostname: string }[]) =>
  threadChoices(
    {
      traceId: '',
      summary: fakeSummary(
        { cuda_call: 3 },
        {
          hosts,
          processes: [
            { ...process, pid: 2233 },
            { ...process, pid: 2233, host: hosts.length - 1 },
          ],
          threads: [
            { ...thread, process: 0 },
            { ...thread, process: 1 },
          ],
        },
      ),
    },
    [1, 0],
  );

test('threads are listed by machine, each with its machine’s name', () => {
  expect(choicesOn([{ hostname: 'gpu-a' }, { hostname: 'gpu-b' }])).toEqual([
    {
      host: 0,
      label: 'gpu-a',
      threads: [{ thread: 0, label: 'Training process · python3 · tid 2233 on gpu-a' }],
    },
    {
      host: 1,
      label: 'gpu-b',
      threads: [{ thread: 1, label: 'Training process · python3 · tid 2233 on gpu-b' }],
    },
  ]);
});

test('of one machine the name is left out', () => {
  const [machine, ...others] = choicesOn([{ hostname: 'gpu-a' }]);
  expect(others).toEqual([]);
  expect(machine?.label).toBeUndefined();
  expect(machine?.threads[0]?.label).toBe('Training process · python3 · tid 2233');
});

test('no more threads are listed than one can choose from', () => {
  const threads = Array.from({ length: 600 }, (_, at) => 599 - at);
  const [machine] = threadChoices(
    {
      traceId: '',
      summary: fakeSummary({}, { threads: threads.map((tid) => ({ ...thread, tid, process: 0 })) }),
    },
    threads,
  );
  expect(machine?.threads.map((each) => each.thread)).toEqual([...Array(500).keys()]);
});
