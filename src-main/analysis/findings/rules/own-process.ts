import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { crowdingOf } from '../facts/crowding.ts';
import { claimed, evidence, joinedRefs, partlyClaimed } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { waitsForOwnThreads } from '../facts/helper-threads.ts';
import { isWorthTelling, loopText, processText, windowNs } from '../facts/job-shape.ts';
import { inputCell } from '../facts/loader-work.ts';
import { idleDevice } from '../judging/links.ts';
import { completeSwitches, onCpuSlices, runQueue } from '../judging/needs.ts';
import { isOwnWait, type OwnHelper, ownHelper } from '../judging/own-helper.ts';
import type { Judgement, Rule } from '../rule.ts';

const isWorking = inputCell('worker', 'running');

/** A process of the job that neither trains nor makes batches has the CPUs: one that answers, prepares or writes for it. */
export const ownProcess: Rule = {
  id: 'own-process',
  needs: [completeSwitches, runQueue, onCpuSlices],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  const { trace } = facts;
  const helper = ownHelper(facts);
  if (helper === undefined) return undefined;
  const { processes, threads, mostlyIn, share, ns, manages } = helper;
  const cost = claimed(facts.costs, isOwnWait);
  const [{ process: first }] = processes;
  const isOne = processes.length === 1;
  const where = mostlyIn === undefined ? '' : `, mostly in ${mostlyIn}`;
  const ranNs = processes.reduce((sum, each) => sum + each.ns, 0);
  const lost = `${formatDuration(ns)} (${formatShare(ns, windowNs(facts))} of the time)`;
  const ran = evidence(
    `${whoText(facts, helper)}, had the CPUs${where}, while the training process and its workers were ready to run, for ${formatDuration(ranNs)} in all`,
    'exact',
    joinedRefs(processes.map(({ events }) => events)),
  );
  const waited = evidence(
    `Of the time in which ${loopText(facts)} waited for a CPU that the job itself had, ${formatShare(share, 1)} are ${isOne ? 'its' : 'their'} share: ${lost}`,
    'inferred',
    cost.events,
  );
  const { text, claims, claimPart } = askingOf(facts, helper);
  return {
    title: isOne
      ? 'Another process of the job has the CPUs'
      : 'Other processes of the job have the CPUs',
    culprit: manages ? 'multiprocessing.Manager' : (mostlyIn ?? trace.processes[first].name),
    sentence: `${ran.text}. That took the training loop ${lost}.${text}`,
    confidence: 'likely',
    evidence: [ran, waited],
    hotThreads: threads,
    claims,
    claimPart,
    gain: { reach: 'waits' },
    fix: manages ? managerFix : asideFix(isOne),
    chain: { system: ran, host: waited, cuda: idleDevice(facts, claims) },
  };
}

/** `python3 (pid 103), a process of the job that neither trains nor loads`. */
function whoText({ trace }: RankFacts, { processes, manages }: OwnHelper): string {
  const name = processText(trace, processes[0].process);
  if (processes.length === 1)
    return `${name}, ${manages ? 'the server of a multiprocessing.Manager' : 'a process of the job that neither trains nor loads'}`;
  const what = manages
    ? 'servers of multiprocessing.Manager'
    : 'processes of the job that neither train nor load';
  return `${formatCount(processes.length)} ${what}, ${name} most`;
}

/** The work of the workers to ask a manager, told and claimed besides; it is on a CPU as the manager’s own is. */
function askingOf(facts: RankFacts, { asking, askingShare, share, ns }: OwnHelper) {
  const worked = partlyClaimed(facts.costs, isWorking, () => askingShare);
  const crowding = crowdingOf(facts, isWorthTelling(facts, worked.ns) ? asking : []);
  const claims = (cell: CostCell) => isOwnWait(cell) || (askingShare > 0 && isWorking(cell));
  const claimPart = (cell: CostCell) => {
    if (isWorking(cell)) return askingShare;
    return Math.min(1, share + (waitsForOwnThreads(cell) ? crowding.share : 0));
  };
  const text = isWorthTelling(facts, worked.ns)
    ? ` Besides, it waited ${formatDuration(worked.ns)} for the workers’ own work of asking it${crowding.andText}: ${formatDuration(ns + worked.ns + crowding.ns)} in all.`
    : '';
  return { text, claims, claimPart };
}

const managerFix: Fix = {
  title: 'Keep what the workers look up in memory that they share, not in a Manager',
  text: 'Each lookup in a dict or list of multiprocessing.Manager sends a message to one process, which packs the answer, and the worker unpacks it. Forked workers share what the dataset held before, and a mapped file is in memory once for all of them; large tables are best kept in arrays, since a Python object that is looked at is copied. This is for what workers only read: what they write stays with them.',
  before: `from multiprocessing import Manager

shared = Manager().dict(your_table)  # each lookup is a message, and its answer
loader = DataLoader(YourDataset(shared), batch_size=your_batch_size, num_workers=your_num_workers, **your_options)`,
  after: `shared = your_table  # as it is: forked workers read it in the memory they share
loader = DataLoader(YourDataset(shared), batch_size=your_batch_size, num_workers=your_num_workers, **your_options)`,
  language: 'python',
  sources: [
    {
      title: 'Python: multiprocessing, Managers',
      url: 'https://docs.python.org/3/library/multiprocessing.html#managers',
    },
  ],
};

const asideFix = (isOne: boolean): Fix => ({
  title: isOne
    ? 'Let that process run when the loop leaves a CPU idle'
    : 'Let those processes run when the loop leaves a CPU idle',
  text: isOne
    ? 'With a higher nice value, the process runs when no thread of the loop wants the CPU. Where the loop waits for its output, this only moves the wait: then the process has to do less, or needs a CPU of its own.'
    : 'With a higher nice value, the processes run when no thread of the loop wants the CPU. Where the loop waits for their output, this only moves the wait: then they have to do less, or need CPUs of their own.',
  before: `from multiprocessing import Process

helper = Process(target=your_helper)
helper.start()`,
  after: `import os
from multiprocessing import Process

def yielding():
    os.nice(10)
    your_helper()

helper = Process(target=yielding)
helper.start()`,
  language: 'python',
  sources: [
    { title: 'Python: os.nice()', url: 'https://docs.python.org/3/library/os.html#os.nice' },
  ],
});
