import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import type { HostWork } from '../../host/host-parts.ts';
import { onceFor } from '../../index/per-trace.ts';
import { blockedOn } from '../../threads/blocked-on.ts';
import { CLEARLY } from '../facts/culprit.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { behindWaker, type Waker, wakersOf } from '../facts/thread-work.ts';
import { callable } from '../fixes/own-names.ts';
import { judgeHost } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Rule } from '../rule.ts';

/** The training loop waits for another program that it started. */
export const subprocessWait: Rule = { id: 'subprocess-wait', needs: [hostActivity], judge };

function judge(facts: RankFacts) {
  const wakers = onceFor(
    (work: HostWork) => work,
    (work) => wakersOf(facts, work, behindWaker(facts.trace)),
  );
  return judgeHost(facts, {
    kind: 'subprocess-wait',
    title: 'The training loop waits for a program that it started',
    doing: 'waiting for another program',
    takesCpus: true,
    more: (work) => childrenOf(facts, wakers(work)),
    fix: (work) =>
      goesOnRunning(facts, wakers(work))
        ? answerFix(nameOf(facts, wakers(work)), callOf(work))
        : fix,
  });
}

const callOf = ({ place }: HostWork) => (place === undefined ? undefined : callable(place));

/** `perl`, which the waits were for. */
function nameOf({ trace }: RankFacts, wakers: readonly Waker[]): string {
  const [most] = wakers.toSorted((a, b) => b.ns - a.ns);
  const thread = trace.threads[most?.thread ?? -1];
  return trace.processes[thread?.process ?? -1]?.name || thread?.name || 'the program';
}

/** Waits that one program ended, from which on it is one that goes on running, and not one that is started each time. Our own choice. */
const WAITS_FOR_ONE = 10;

/** Whether it is one program that clearly most of the waits are for, again and again: it answers, or makes something for the loop. */
function goesOnRunning({ trace }: RankFacts, wakers: readonly Waker[]): boolean {
  // A program ends once.
  const isForEnd = (row: number) => blockedOn(trace, row).detail === 'child';
  const allNs = wakers.reduce((sum, { ns }) => sum + ns, 0);
  const byProcess = Map.groupBy(wakers, ({ thread }) => trace.threads[thread]?.process ?? -1);
  return [...byProcess.values()].some(
    (own) =>
      own.reduce((sum, { ns }) => sum + ns, 0) >= allNs * CLEARLY &&
      own.flatMap(({ rows }) => rows).filter((row) => !isForEnd(row)).length >= WAITS_FOR_ONE,
  );
}

/** Which programs ended the waits: the one most waited for is named. */
function childrenOf(facts: RankFacts, wakers: readonly Waker[]) {
  const { threads, processes } = facts.trace;
  const byName = Map.groupBy(wakers, ({ thread }) => {
    const process = threads[thread]?.process ?? -1;
    return processes[process]?.name || threads[thread]?.name || 'a process without a name';
  });
  const told = [...byName].map(([name, all]) => ({
    name,
    text:
      all.length === 1
        ? `${name} (pid ${pidOf(facts, all[0].thread)})`
        : `${name} (${plural(all.length, 'process', 'processes')})`,
    ns: all.reduce((sum, { ns }) => sum + ns, 0),
    rows: all.flatMap(({ rows }) => rows),
  }));
  const [most] = told.toSorted((a, b) => b.ns - a.ns);
  if (most === undefined) return { say: [], facts: [] };
  const isMost = most.ns >= told.reduce((sum, { ns }) => sum + ns, 0) * CLEARLY;
  const waits = `${plural(most.rows.length, 'wait')} ended by ${most.text}: ${formatDuration(most.ns)}`;
  return {
    say: [`Mostly it waited for ${most.text}.`],
    facts: [evidence(waits, 'exact', refsTo('off_cpu', most.rows))],
    ...(isMost && {
      title: (where: string) =>
        `The training loop waits for ${most.name}, which it started${where}`,
    }),
  };
}

function pidOf({ trace }: RankFacts, thread: number): number {
  return trace.processes[trace.threads[thread].process]?.pid ?? -1;
}

/** Of a program that stays. `call`: the function that asks it and waits. */
function answerFix(program: string, call = 'your_request'): Fix {
  return {
    title: `Ask ${program} in a thread, while the GPU works`,
    text: `A thread of Python that waits for a pipe leaves the interpreter to the training loop, so the loop can go on until it needs the answer: put between the two what needs none, or take the answer a step later where the training allows it. ${program} takes one line after the other: several copies of it, each with its own thread, and for a part of the lines, are quicker where CPUs are free. Where each answer comes quickly, send many lines at once and then read all answers, while another thread writes: a full pipe stops both. Or ask for less: not at every step, or not twice for the same line.`,
    before: `for batch in your_loader:
    answers = [${call}(line) for line in your_lines]  # one wait for each
    your_step(batch)
    your_use_of(answers)`,
    after: `from concurrent.futures import ThreadPoolExecutor

def ask_all(lines):
    return [${call}(line) for line in lines]

asker = ThreadPoolExecutor(1)  # one: a pipe has one reader
for batch in your_loader:
    late = asker.submit(ask_all, your_lines)
    your_step(batch)  # what needs no answer, meanwhile
    your_use_of(late.result())`,
    language: 'python',
    sources: [
      {
        title: 'Python: concurrent.futures',
        url: 'https://docs.python.org/3/library/concurrent.futures.html',
      },
    ],
  };
}

const fix: Fix = {
  title: 'Start the program and go on; check how it ended later',
  text: 'run() and communicate() return when the program has ended. Popen() returns at once: how it ended can be checked some steps later, or in a thread. A program that is started at every step costs its start too: one that goes on running and gets its work through a pipe is started once.',
  before: `import subprocess

for batch in your_loader:
    your_step(batch)
    subprocess.run(your_command, check=True)`,
  after: `import subprocess
from collections import deque

def check(program):
    if program.wait() != 0:
        raise RuntimeError(f"{program.args} ended with {program.returncode}")

running = deque()
for batch in your_loader:
    your_step(batch)
    running.append(subprocess.Popen(your_command))
    if len(running) > 4:  # no more at a time; the oldest has most likely ended
        check(running.popleft())
for program in running:
    check(program)`,
  language: 'python',
  sources: [
    {
      title: 'Python: subprocess.Popen',
      url: 'https://docs.python.org/3/library/subprocess.html#popen-constructor',
    },
  ],
};
