import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProcessInfo, ThreadInfo } from '../../shared/model/trace.ts';
import { EntityList } from './entity-list.ts';
import { settleTasks } from './tasks.ts';

const plain = { name: '', role: 'other', roleBasis: '' } as const;

function processesWith(parents: readonly number[]): EntityList<ProcessInfo> {
  const processes = new EntityList<ProcessInfo>();
  for (const [at, parent] of parents.entries())
    processes.add({ ...plain, pid: at, parent }, 10 * at);
  return processes;
}

const parentsOf = (parents: readonly number[]) =>
  settleTasks(processesWith(parents), []).processes.map(({ parent }) => parent);

test('parents are found by id', () => {
  expect(parentsOf([-1, 0, 10, 99])).toEqual([-1, 0, 1, -1]);
});

test('a process is never its own ancestor, and nobody else loses a parent', () => {
  expect(parentsOf([0])).toEqual([-1]);
  expect(parentsOf([10, 0, 0])).toEqual([-1, 0, 0]);
  const parent = fc.integer({ min: -1, max: 7 }).map((at) => (at < 0 ? -1 : 10 * at));
  fc.assert(
    fc.property(fc.array(parent, { minLength: 8, maxLength: 8 }), (given) => {
      const parents = parentsOf(given);
      for (const start of parents.keys()) {
        let steps = 0;
        for (let at = start; at !== -1; at = parents[at]) expect(steps++).toBeLessThan(9);
      }
      const lost = parents.filter((each, at) => each === -1 && given[at] !== -1).length;
      expect(lost).toBe(circlesIn(given.map((id) => id / 10)));
    }),
  );
});

/** How many circles there are when everybody goes to the parent. */
function circlesIn(parents: readonly number[]): number {
  const onCircle = new Set<number>();
  let circles = 0;
  for (const start of parents.keys()) {
    let at = start;
    for (let step = 0; step < parents.length && at >= 0; step++) at = parents[at];
    if (at < 0 || onCircle.has(at)) continue;
    circles++;
    for (; !onCircle.has(at); at = parents[at]) onCircle.add(at);
  }
  return circles;
}

test('threads of a process nobody wrote down get one that says so', () => {
  const thread: ThreadInfo = { tid: 5, process: -1, name: '', role: 'other' };
  const { processes, threads } = settleTasks(processesWith([-1]), [
    { ...thread, process: 0 },
    thread,
  ]);
  expect(threads.map(({ process }) => process)).toEqual([0, 1]);
  expect(processes[1]?.roleBasis).toContain('does not say which process');
});
