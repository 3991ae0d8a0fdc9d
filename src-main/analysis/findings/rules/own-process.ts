import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import { formatDuration, formatShare } from '../../../shared/text/units.ts';
import { perStacks } from '../../index/per-trace.ts';
import { jobIndex } from '../../jobs/job-index.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { claimed, evidence } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, loopText, processText, windowNs } from '../facts/job-shape.ts';
import { ownNeighbours, shareOfOwn } from '../facts/own-neighbours.ts';
import { rowsDataset } from '../fixes/snippets.ts';
import { idleDevice } from '../judging/links.ts';
import { makingProcesses } from '../judging/loop-makers.ts';
import { completeSwitches, onCpuSlices, runQueue } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

type Neighbour = RankFacts['neighbours'][number];

/** Of its samples, so many have to be in answering. Our own choice. */
const MOSTLY = 0.5;
const MANAGER_FILE = /\/multiprocessing\/managers\.py$/;
/** Who asks it has that file on its stacks too. */
const SERVES = /(^|\.)(_run_server|serve_forever|accepter|handle_request|serve_client)$/;

const isOwn = ({ cause }: CostCell) => cause === 'runnable-own';

/** A process of the job that neither trains nor makes batches has the CPUs: one that answers, prepares or writes for it. */
export const ownProcess: Rule = {
  id: 'own-process',
  needs: [completeSwitches, runQueue, onCpuSlices],
  judge,
};

function judge(facts: RankFacts): Judgement | undefined {
  const { trace } = facts;
  // Whoever makes what the loop waits for is told with that.
  const making = makingProcesses(facts);
  const [helper] = ownNeighbours(facts)
    .filter((neighbour) => isHelper(facts, neighbour) && !making.has(neighbour.process))
    .toSorted((a, b) => b.ns - a.ns);
  if (helper === undefined) return undefined;
  const cost = claimed(facts.costs, isOwn);
  const share = shareOfOwn(facts, ({ process }) => process === helper.process);
  const ns = cost.ns * share;
  if (!isWorthTelling(facts, ns)) return undefined;
  const name = processText(trace, helper.process);
  const threads = jobIndex(trace).threadsOf(helper.process);
  const [hottest] = facts.hotLines(threads);
  const where = hottest === undefined ? '' : `, mostly in ${hottest.function}`;
  const manages = isManager(facts, threads);
  const what = manages
    ? 'the server of a multiprocessing.Manager'
    : 'a process of the job that neither trains nor loads';
  const lost = `${formatDuration(ns)} (${formatShare(ns, windowNs(facts))} of the time)`;
  const ran = evidence(
    `${name}, ${what}, had the CPUs${where}, while the training process and its workers were ready to run, for ${formatDuration(helper.ns)} in all`,
    'exact',
    helper.events,
  );
  const waited = evidence(
    `Of the time in which ${loopText(facts)} waited for a CPU that the job itself had, ${formatShare(share, 1)} are its share: ${lost}`,
    'inferred',
    cost.events,
  );
  return {
    title: 'Another process of the job has the CPUs',
    culprit: manages
      ? 'multiprocessing.Manager'
      : (hottest?.function ?? trace.processes[helper.process].name),
    sentence: `${ran.text}. That took the training loop ${lost}.`,
    confidence: 'likely',
    evidence: [ran, waited],
    hotThreads: threads,
    claims: isOwn,
    claimPart: () => share,
    gain: { reach: 'waits' },
    fix: manages ? managerFix : asideFix,
    chain: { system: ran, host: waited, cuda: idleDevice(facts, isOwn) },
  };
}

function isHelper({ trace, rank, workers }: RankFacts, { process, ns }: Neighbour): boolean {
  if (ns === 0 || process === rank.process) return false;
  if (workers.some((worker) => worker.process === process)) return false;
  return trace.processes[process]?.role === 'other';
}

/** By stack, 1 where a manager of Python's multiprocessing answers: whatever packs the answer stands inside of it. */
const answers = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ file = '', symbol }) =>
    Number(MANAGER_FILE.test(file) && SERVES.test(symbol)),
  ),
);

/** Whether the process keeps what others look up: a manager of Python's multiprocessing. */
function isManager({ trace, window }: RankFacts, threads: readonly number[]): boolean {
  const { stack } = trace.tables.cpu_sample.columns;
  const within = answers(trace);
  const seen = threads
    .flatMap((thread) => [...samplesWithin(trace, thread, window)])
    .filter((row) => (stack?.[row] ?? NONE) !== NONE);
  const own = seen.filter((row) => within[stack?.[row] ?? NONE] === 1);
  return own.length > 0 && own.length >= seen.length * MOSTLY;
}

const managerFix: Fix = {
  title: 'Keep what the workers look up in memory that they share, not in a Manager',
  text: 'Each look into a dict or list of multiprocessing.Manager is a message to one process, which packs the answer, and one that unpacks it. Workers that are forked share what the dataset held before, and a file that is mapped is in memory once for all of them.',
  before: `from multiprocessing import Manager

class Samples(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, index):
        return torch.from_numpy(self.samples[index])  # a message to the manager, and its answer

manager = Manager()
samples = manager.dict({number: decode(file) for number, file in enumerate(files)})

loader = DataLoader(Samples(samples), batch_size=batch_size, num_workers=num_workers)`,
  after: `np.save("samples.npy", np.stack([decode(file) for file in files]))

${rowsDataset('Samples')}

loader = DataLoader(Samples("samples.npy"), batch_size=batch_size, num_workers=num_workers)`,
  language: 'python',
  sources: [
    {
      title: 'Python: multiprocessing, Managers',
      url: 'https://docs.python.org/3/library/multiprocessing.html#managers',
    },
  ],
};

const asideFix: Fix = {
  title: 'Let that process run when the loop leaves a CPU idle',
  text: 'With a higher nice value it has a CPU when nobody of the loop wants it. Where the loop waits for what it makes that only moves the wait: then it has to do less, or needs a CPU more.',
  before: `from multiprocessing import Process

def work():
    np.save("made.npy", np.stack([decode(file) for file in files]))

helper = Process(target=work)
helper.start()`,
  after: `from multiprocessing import Process

def work():
    os.nice(10)
    np.save("made.npy", np.stack([decode(file) for file in files]))

helper = Process(target=work)
helper.start()`,
  language: 'python',
  sources: [
    { title: 'Python: os.nice()', url: 'https://docs.python.org/3/library/os.html#os.nice' },
  ],
};
