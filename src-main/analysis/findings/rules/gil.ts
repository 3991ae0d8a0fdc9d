import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { codeOf, wakeContexts } from '../../../shared/model/codes.ts';
import { hostOfThread } from '../../../shared/model/hosts.ts';
import { syscallName } from '../../../shared/model/syscall-names.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { lowerBound } from '../../../shared/numbers/bisect.ts';
import { formatCount, plural } from '../../../shared/text/units.ts';
import { traceIndex } from '../../index/trace-index.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText, threadText } from '../facts/job-shape.ts';
import { completeSwitches, waitedIn, wakers } from '../facts/needs.ts';
import type { Judgement, Rule } from '../facts/rule.ts';

/**
 * A thread that wants the interpreter’s lock waits 5 ms (sys.getswitchinterval()), asks the holder to
 * let go, and waits again: take_gil() in CPython’s Python/ceval_gil.h. A timer ends the first wait;
 * it may be late by its slack and the interrupts before it.
 */
const SWITCH_INTERVAL_NS = { from: 4.9e6, to: 6e6 };
/** Both futexes of one glibc condition variable, __g_signals, lie in 8 bytes. */
const CONDITION_BYTES = 8;
/** FUTEX_WAIT and FUTEX_WAIT_BITSET, without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME. */
const FUTEX_WAITS: readonly number[] = [0, 9];
const FUTEX_FLAGS = 0x80 | 0x100;
/** Fewer may be chance: another lock that is waited for with a timeout. */
const MIN_TIMEOUTS = 10;
const MIN_HANDOVERS = 5;

/** The main thread waits, again and again, for other threads of its process to let go of the interpreter. */
export const gil: Rule = {
  id: 'gil',
  needs: [completeSwitches, waitedIn, wakers],
  judge,
};

const isMainsLock = ({ cause, whose }: CostCell) => cause === 'lock' && whose === 'main';

/** Waits of the main thread on one condition variable. */
interface Waits {
  ns: number;
  timeouts: number;
  rows: number[];
  /** How often each thread of the process ended one. */
  readonly wakers: Map<number, number>;
  /** Ended by somebody else than a timer or a thread of the process. */
  strangers: number;
}

function judge(facts: RankFacts): Judgement | undefined {
  const waits = interpreterWaits(facts);
  if (waits === undefined || !isWorthTelling(facts, waits.ns)) return undefined;
  const cost = claimed(facts.costs, isMainsLock);
  const { trace, rank } = facts;
  const holders = [...waits.wakers].toSorted((a, b) => b[1] - a[1]).map(([thread]) => thread);
  const isPinThread = rank.pinThreads.includes(holders[0]);
  const first = isPinThread ? 'the pin-memory thread' : threadText(trace.threads[holders[0]]);
  const events = refsTo('off_cpu', waits.rows);
  const lost = shareText(facts, waits.ns);
  const waited = evidence(
    `The main thread waited ${lost} in ${plural(waits.rows.length, 'wait')} on one lock, ${formatCount(waits.timeouts)} of them until 5 ms were up`,
    'exact',
    events,
  );
  return {
    title: 'The main thread waits for the Python interpreter',
    sentence: `The main thread waited ${lost} for other threads of its process to let go of the interpreter (GIL), mostly for ${first}.`,
    confidence: 'likely',
    evidence: [waited, holderEvidence(trace, waits, holders)],
    hotThreads: holders,
    claims: isMainsLock,
    gainShare: cost.ns > 0 ? Math.min(1, waits.ns / cost.ns) : 1,
    fix: isPinThread ? pinThreadFix : threadFix,
    chain: {
      system: holderEvidence(trace, waits, holders),
      host: waited,
      cuda: evidence('The main thread could not submit work meanwhile', 'inferred', events),
    },
  };
}

function holderEvidence(trace: Trace, { wakers: counts }: Waits, holders: readonly number[]) {
  const named = holders
    .slice(0, 3)
    .map(
      (thread) => `${threadText(trace.threads[thread])} ${plural(counts.get(thread) ?? 0, 'time')}`,
    );
  return evidence(`Threads of the same process that let go of it: ${named.join(', ')}`, 'exact');
}

/** The condition variable that is waited for as CPython waits for its lock, with the most time. */
function interpreterWaits(facts: RankFacts): Waits | undefined {
  return [...waitsByCondition(facts).values()]
    .filter((waits) => {
      const handovers = [...waits.wakers.values()].reduce((sum, count) => sum + count, 0);
      const isOwn = handovers >= MIN_HANDOVERS && handovers > waits.strangers;
      return waits.timeouts >= MIN_TIMEOUTS && isOwn;
    })
    .toSorted((a, b) => b.ns - a.ns)
    .at(0);
}

function waitsByCondition({ trace, rank, window }: RankFacts): Map<number, Waits> {
  const byCondition = new Map<number, Waits>();
  const { columns } = trace.tables.off_cpu;
  const { syscallArg0 } = columns;
  const { rows, startsNs } = traceIndex(trace).switchesOf(rank.mainThread);
  const end = lowerBound(startsNs, window[1]);
  for (let at = lowerBound(startsNs, window[0]); at < end; at++) {
    const row = rows[at];
    if (syscallArg0 === undefined || !isFutexWait(trace, row)) continue;
    const key = Math.floor(syscallArg0[row] / CONDITION_BYTES);
    const waits = byCondition.get(key) ?? emptyWaits();
    byCondition.set(key, waits);
    waits.ns += columns.durationNs[row];
    waits.rows.push(row);
    countEnd(trace, waits, row, rank.process);
  }
  return byCondition;
}

function emptyWaits(): Waits {
  return { ns: 0, timeouts: 0, rows: [], wakers: new Map(), strangers: 0 };
}

/** What ended the wait: its timeout, a thread of the process, or somebody else. */
function countEnd(trace: Trace, waits: Waits, row: number, process: number): void {
  const { columns } = trace.tables.off_cpu;
  const sleptNs = columns.durationNs[row] - Math.max(0, columns.runQueueNs?.[row] ?? 0);
  const waker = columns.waker?.[row] ?? -1;
  const isTask = columns.wakerContext?.[row] === codeOf(wakeContexts, 'task');
  const isInterval = sleptNs >= SWITCH_INTERVAL_NS.from && sleptNs <= SWITCH_INTERVAL_NS.to;
  if (!isTask && isInterval) waits.timeouts += 1;
  else if (trace.threads[waker]?.process === process)
    waits.wakers.set(waker, (waits.wakers.get(waker) ?? 0) + 1);
  else waits.strangers += 1;
}

function isFutexWait(trace: Trace, row: number): boolean {
  const { syscall, syscallArg1, thread } = trace.tables.off_cpu.columns;
  const operation = (syscallArg1?.[row] ?? -1) & ~FUTEX_FLAGS;
  return (
    syscall !== undefined &&
    syscallName(syscall[row], hostOfThread(trace, thread[row])) === 'futex' &&
    FUTEX_WAITS.includes(operation)
  );
}

const threadFix: Fix = {
  title: 'Move the work of the other Python threads into a process',
  text: 'Only one thread of a process runs Python at a time. Work in a thread of the training process takes turns with the training loop, 5 ms each; in a process of its own, or in a DataLoader worker, it does not.',
  before: `import math
from concurrent.futures import ThreadPoolExecutor

with ThreadPoolExecutor(2) as pool:
    roots = list(pool.map(math.sqrt, range(1000)))`,
  after: `import math
from concurrent.futures import ProcessPoolExecutor

with ProcessPoolExecutor(2) as pool:
    roots = list(pool.map(math.sqrt, range(1000), chunksize=100))`,
  language: 'python',
  sources: [
    {
      title: 'Python: sys.setswitchinterval()',
      url: 'https://docs.python.org/3/library/sys.html#sys.setswitchinterval',
    },
  ],
};

const pinThreadFix: Fix = {
  title: 'Give the pin-memory thread fewer objects to go through',
  text: 'The pin-memory thread goes through each batch in Python and takes turns with the training loop for it. A batch of a few large tensors costs it next to nothing; one of many small ones costs it much: put them together in the worker, in collate_fn.',
  before: `def collate(samples):
    return [torch.as_tensor(sample) for sample in samples]`,
  after: `def collate(samples):
    return torch.stack([torch.as_tensor(sample) for sample in samples])`,
  language: 'python',
  sources: [
    {
      title: 'Python: sys.setswitchinterval()',
      url: 'https://docs.python.org/3/library/sys.html#sys.setswitchinterval',
    },
  ],
};
