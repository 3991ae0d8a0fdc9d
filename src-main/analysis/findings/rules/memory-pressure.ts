import type { Evidence, Fix } from '../../../shared/answers/diagnosis.ts';
import { formatCount, formatDuration, formatShare, plural } from '../../../shared/text/units.ts';
import { callSum } from '../../threads/call-sums.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling, shareText, windowNs } from '../facts/job-shape.ts';
import { samplesOf } from '../facts/machine-samples.ts';
import { reachedMemoryLimit } from '../facts/memory-limit.ts';
import { killsText, oomKills } from '../facts/oom-kills.ts';
import { reclaims } from '../facts/reclaims.ts';
import { kernelDocs, optimisationGuide } from '../fixes/sources.ts';
import { memoryShortage } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

const SWAPPED_IN = /^Swapped in \(pages\/s\)$/;
const PRESSURE = /^Memory pressure \(%\)$/;
/** Pages a second read back from swap, on average, from which memory is short: 1 MiB/s of 4 KiB pages. */
const SWAPPING_PAGES_PER_S = 256;
/** Mean share of time, in percent, in which some task waited for memory (PSI some): our own choice. */
const PRESSURE_PERCENT = 5;

/**
 * The machine or the container is short of memory. Major faults alone do not show it: the first
 * reading of a mapped file makes them too.
 */
export const memoryPressure: Rule = {
  id: 'memory-pressure',
  needs: [memoryShortage],
  judge,
};

/** Time in the kernel for a page; the disk’s too once pages come back from swap. */
const isForPages = ({ cause }: CostCell) => cause === 'fault';

function judge(facts: RankFacts): Judgement | undefined {
  const signs = [...kills(facts), ...reclaim(facts), ...machineSigns(facts)];
  if (signs.length === 0) return undefined;
  const cost = claimed(facts.costs, isForPages);
  const faults = majorFaults(facts);
  const hit = evidence(
    cost.ns > 0
      ? `${shareText(facts, cost.ns)} of the loop went to getting pages of memory`
      : 'It is not certain that short memory cost the training loop any time',
    cost.ns > 0 ? 'exact' : 'unknown',
    cost.events,
  );
  return {
    title: 'Memory is short',
    sentence: `${signs[0].text}. ${hit.text}.`,
    confidence: 'likely',
    evidence: [...signs, ...faults, hit],
    ...(isWorthTelling(facts, cost.ns) && { claims: isForPages, gain: 'unknown' as const }),
    fix,
    chain: {
      system: signs[0],
      host: hit,
      cuda: evidence('The GPU’s next work came that much later', 'inferred', cost.events),
    },
  };
}

/**
 * What one worker needs is not in the trace: whether fewer of them would do, or one alone is too much already,
 * nobody can tell from it.
 */
const fix: Fix = {
  title: 'Give the job more memory, or keep less in it',
  text: 'Keep large tables in NumPy arrays or tensors, not in lists of Python objects, or map them from a file: then the workers share them. Each worker is a whole interpreter with what the dataset holds, and each batch that waits takes memory as well; but fewer workers help only where these hold most of it, and one alone fits: look at Pss in /proc/PID/smaps_rollup of each first.',
  before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __init__(self):
        self.rows = your_lists  # an object for each number: what touches them copies them for itself

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor(self.rows[index])`,
  after: `import numpy as np
from torch.utils.data import Dataset

np.save("rows.npy", np.asarray(your_lists, np.float32))  # once, of the type that they have

class YourDataset(Dataset):
    def __init__(self):
        self.rows = np.load("rows.npy", mmap_mode="r")  # in memory once, for all workers

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return torch.tensor(self.rows[index])`,
  language: 'python',
  sources: [optimisationGuide(), kernelDocs('Pressure Stall Information', 'accounting/psi.html')],
};

/** Those at the limit of a control group are `memory-limit`’s. */
function kills(facts: RankFacts): Evidence[] {
  const { ofMachine } = oomKills(facts);
  return ofMachine.length === 0
    ? []
    : [evidence(killsText(facts, ofMachine), 'exact', refsTo('process_event', ofMachine))];
}

function swapping(facts: RankFacts): Evidence[] {
  const samples = samplesOf(facts, SWAPPED_IN, facts.window);
  if (samples === undefined || samples.mean < SWAPPING_PAGES_PER_S) return [];
  const text = `${formatCount(Math.round(samples.mean))} pages a second came back from swap on average, ${formatCount(Math.round(samples.max))} at most`;
  return [evidence(text, 'aggregated', samples.events)];
}

/** Direct reclaim: a thread that asked for memory had to free some first. */
function reclaim(facts: RankFacts): Evidence[] {
  const { rows, ns } = reclaims(facts, 'machine');
  if (!isWorthTelling(facts, ns)) return [];
  const text = `Threads of the job spent ${formatDuration(ns)} freeing memory before they got any (direct reclaim, ${plural(rows.length, 'time')}; ${formatShare(ns, windowNs(facts))} of the time, all threads together)`;
  return [evidence(text, 'exact', refsTo('range', rows))];
}

/** The machine’s figures count what a control group at its limit waits for too: what is the group’s is another finding’s. */
function machineSigns(facts: RankFacts): Evidence[] {
  const limit = reachedMemoryLimit(facts);
  const isSwapLimits = limit !== undefined && (limit.isSwapping || !limit.isSwapApart);
  const isPressureLimits =
    limit !== undefined && (limit.pressure?.mean ?? Infinity) >= PRESSURE_PERCENT;
  return [...(isSwapLimits ? [] : swapping(facts)), ...(isPressureLimits ? [] : pressure(facts))];
}

function pressure(facts: RankFacts): Evidence[] {
  const samples = samplesOf(facts, PRESSURE, facts.window);
  if (samples === undefined || samples.mean < PRESSURE_PERCENT) return [];
  const text = `Some task waited for memory ${samples.mean.toFixed(1)} % of the time (memory pressure)`;
  return [evidence(text, 'aggregated', samples.events)];
}

function majorFaults(facts: RankFacts): Evidence[] {
  const { main, workers } = facts;
  const known = [main, ...workers.map(({ states }) => states)].filter(
    ({ majorFaults: count }) => count > 0,
  );
  const count = known.reduce((sum, { majorFaults: faults }) => sum + faults, 0);
  if (count === 0) return majorFaultsInCalls(facts);
  return [evidence(`${plural(count, 'page fault')} of the job had to read from a disk`, 'exact')];
}

/** Without switches faults are counted of CUDA calls only. */
function majorFaultsInCalls({ trace, rank, window }: RankFacts): Evidence[] {
  const { startNs, thread, parent } = trace.tables.cuda_call.columns;
  const own = new Set(rank.cudaThreads);
  const found: number[] = [];
  let count = 0;
  for (let row = 0; row < startNs.length; row++) {
    if (startNs[row] < window[0] || startNs[row] >= window[1]) continue;
    if (!own.has(thread[row]) || (parent?.[row] ?? -1) >= 0) continue;
    const faults = callSum(trace, row, 'majorFaults')?.value ?? 0;
    if (faults > 0) found.push(row);
    count += faults;
  }
  if (count === 0) return [];
  const text = `${plural(count, 'page fault')} inside CUDA calls had to read from a disk`;
  return [evidence(text, 'exact', refsTo('cuda_call', found))];
}
