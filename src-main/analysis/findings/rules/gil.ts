import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';
import { type InterpreterWaits, interpreterWaits } from '../../host/interpreter-lock.ts';
import { blames } from '../facts/culprit.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { oftenText } from '../facts/how-often.ts';
import { isWorthTelling, shareText, threadText } from '../facts/job-shape.ts';
import { callsAt } from '../facts/recorded-calls.ts';
import { placeOfThreads } from '../facts/thread-work.ts';
import { completeSwitches, waitedIn, wakers } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/** The main thread waits, again and again, for other threads of its process to let go of the interpreter. */
export const gil: Rule = {
  id: 'gil',
  needs: [completeSwitches, waitedIn, wakers],
  judge,
};

/** Of its other time, what is known to be another lock is left out. */
const isMainsLock = ({ phase, cause, whose, activity }: CostCell) =>
  cause === 'lock' && whose === 'main' && (phase !== 'other' || (activity ?? 'gil') === 'gil');

function judge(facts: RankFacts): Judgement | undefined {
  const waits = interpreterWaits(facts.trace, facts.rank, facts.window);
  if (waits === undefined || !isWorthTelling(facts, waits.ns)) return undefined;
  const cost = claimed(facts.costs, isMainsLock);
  const { trace, rank } = facts;
  const holders = [...waits.wakers].toSorted((a, b) => b[1] - a[1]).map(([thread]) => thread);
  const isPinThread = rank.pinThreads.includes(holders[0]);
  const at = placeOfThreads(facts, holders.slice(0, 1));
  const named = isPinThread ? 'the pin-memory thread' : threadText(trace.threads[holders[0]]);
  const first = at === undefined ? named : `${named}, which ran ${at}`;
  const events = refsTo('off_cpu', waits.rows);
  // A moment of some of these waits counts for another phase: what is told is what it costs.
  const lost = shareText(facts, cost.ns > 0 ? Math.min(waits.ns, cost.ns) : waits.ns);
  const { startNs, durationNs } = trace.tables.off_cpu.columns;
  const often = oftenText(facts.rowsRepeat(startNs, waits.rows, (row) => durationNs[row]));
  const ended =
    waits.timeouts > 0
      ? `${formatCount(waits.timeouts)} of them until 5 ms were up`
      : 'and found it taken again most times that it was woken';
  const seen = `${plural(waits.rows.length, 'wait')} on one lock, ${ended}`;
  return {
    title:
      at === undefined || isPinThread
        ? 'The main thread waits for the Python interpreter (the GIL)'
        : `The main thread waits for the Python interpreter (the GIL), held by ${at}`,
    ...(!isPinThread && blames(at)),
    sentence: `The main thread waited ${lost} for other threads of its process to let go of the interpreter (GIL)${often}, mostly for ${first}.`,
    confidence: 'likely',
    evidence: [
      evidence(seen, 'exact', events),
      holderEvidence(facts, waits, holders),
      ...callsAt(
        facts,
        Array.from(waits.rows, (row) => startNs[row]),
      ),
    ],
    hotThreads: holders,
    claims: isMainsLock,
    gainShare: cost.ns > 0 ? Math.min(1, waits.ns / cost.ns) : 1,
    // Whoever holds the interpreter also takes a CPU, and delays what is done inside of calls and of the loader.
    gain: { reach: 'waits', moreNs: Math.max(0, waits.ns - cost.ns) },
    fix: isPinThread ? pinThreadFix : threadFixFor(at),
    chain: {
      system: holderEvidence(facts, waits, holders),
      host: evidence(`The main thread waited ${lost} in ${seen}`, 'exact', events),
      cuda: evidence('The main thread could not submit work meanwhile', 'inferred', events),
    },
  };
}

function holderEvidence(
  facts: RankFacts,
  { wakers: counts }: InterpreterWaits,
  holders: readonly number[],
) {
  const named = holders.slice(0, 3).map((thread) => {
    const at = placeOfThreads(facts, [thread]);
    const who = threadText(facts.trace.threads[thread]);
    return `${who} ${plural(counts.get(thread) ?? 0, 'time')}${at === undefined ? '' : `, mostly in ${at}`}`;
  });
  return evidence(`Threads of the same process that let go of it: ${named.join(', ')}`, 'exact');
}

const threadFix: Fix = {
  title: 'Move the work of the other Python threads into a process',
  text: 'Only one thread of a process runs Python at a time. Work in a thread of the training process takes turns with the training loop, 5 ms each, or as long as one call in C lasts, as of json.loads; in a process of its own, or in a DataLoader worker, it does not. What it is given and what it returns is copied, which the loop’s process pays for: much that comes back wins nothing. The pool has to be there before CUDA is used. Work whose result is as the last time need not be done: look first whether anything has changed.',
  before: `from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(2) as pool:
    results = list(pool.map(your_function, your_inputs))`,
  after: `from concurrent.futures import ProcessPoolExecutor

with ProcessPoolExecutor(2) as pool:  # the results come in the same order
    results = list(pool.map(your_function, your_inputs, chunksize=16))`,
  language: 'python',
  sources: [
    {
      title: 'Python: sys.setswitchinterval()',
      url: 'https://docs.python.org/3/library/sys.html#sys.setswitchinterval',
    },
  ],
};

/** `at`: what the thread that held it most ran. */
const threadFixFor = (at: string | undefined): Fix =>
  at === undefined
    ? threadFix
    : { ...threadFix, title: `Move the thread that runs ${at} into a process` };

const pinThreadFix: Fix = {
  title: 'Give the pin-memory thread fewer objects to go through',
  text: 'The pin-memory thread goes through each batch in Python and takes turns with the training loop for it. A batch of a few large tensors costs it next to nothing; one of many small ones costs it much: put them together in the worker, in collate_fn.',
  before: `def your_collate(samples):
    return [torch.as_tensor(sample) for sample in samples]`,
  after: `def your_collate(samples):
    return torch.stack([torch.as_tensor(sample) for sample in samples])  # one tensor: batch[index] is a sample`,
  language: 'python',
  sources: [
    {
      title: 'Python: sys.setswitchinterval()',
      url: 'https://docs.python.org/3/library/sys.html#sys.setswitchinterval',
    },
  ],
};
