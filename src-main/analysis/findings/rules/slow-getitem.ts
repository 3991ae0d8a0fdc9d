import type { Evidence, Fix, HotLine } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { formatCount, formatDuration, formatShare } from '../../../shared/text/units.ts';
import { loaderStacks } from '../../stacks/loader-stacks.ts';
import { stateCode, stateWhileAsleep } from '../../threads/visit-states.ts';
import { switchesWithin } from '../facts/awaited-files.ts';
import { type BatchKinds, batchKinds } from '../facts/batch-kinds.ts';
import { systemCallsText } from '../facts/call-samples.ts';
import { crowdingOf, withCrowding } from '../facts/crowding.ts';
import { blamedIn, CLEARLY, functionOf } from '../facts/culprit.ts';
import { epochStartsText } from '../facts/epoch-starts.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { makingGrowth } from '../facts/growth.ts';
import {
  asleepNs,
  isMostlyAsleep,
  placeOfHelpers,
  waitsForOwnThreads,
} from '../facts/helper-threads.ts';
import { unnamedText } from '../facts/interpreter-only.ts';
import { type ItemParts, itemParts, sampledStacks } from '../facts/item-parts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import {
  cpuWaitNs,
  DOMINANT_SHARE,
  helpersOf,
  inputCell,
  type LoaderSamples,
  loaderSamples,
  makersOf,
  type Production,
  production,
  SAMPLES_AT_LEAST,
} from '../facts/loader-work.ts';
import { reachedMemoryLimit } from '../facts/memory-limit.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { inputWaitOfMaking, isOnlySampled, looksText } from '../facts/sampled-making.ts';
import { sleptFor } from '../facts/slept-for.ts';
import { WHOLE_BATCHES, wholeBatches } from '../fixes/loader-fix.ts';
import { callable } from '../fixes/own-names.ts';
import { debugGuide } from '../fixes/sources.ts';
import { slowestSamples } from '../judging/leaves-open.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { switchesOrSamples } from '../judging/needs.ts';
import { ownHelper } from '../judging/own-helper.ts';
import { readingWork } from '../judging/reading-work.ts';
import type { Judgement, Rule } from '../rule.ts';

/** “How to Debug Slow PyTorch Dataloaders” calls a sample slow from 1 to 2 ms on; a batch has at least one. */
const SLOW_BATCH_NS = 2e6;

/**
 * Where stacks are missing, a worker that faults more often than this may as well be copying: pure
 * copies into shared memory fault 275,000 to 390,000 times a second (measured with PyTorch 1.13).
 */
const FEW_FAULTS_PER_SECOND = 100_000;

/** How the workers spent the making of a batch, and how that is known. */
interface Work {
  /** `helped`: asleep, for threads of its own that worked. */
  readonly kind: 'asleep' | 'busy' | 'helped';
  readonly confidence: Judgement['confidence'];
  readonly evidence: Evidence;
  /** The function that the loader called, with its file and line; or that threads which help are in. */
  readonly place?: string | undefined;
  /** In which functions, and how much in each. */
  readonly parts?: ItemParts | undefined;
  /** What else the samples tell, as the system calls that take a good part of it: sentences, or empty. */
  readonly about?: string;
  /** The samples that show it: rows of cpu_sample. */
  readonly rows?: readonly number[];
  /** Whether stacks show where: CPU samples do not show where a thread slept. */
  readonly hasLines: boolean;
}

const ASLEEP = ['sleeping', 'lock'] as const;
const RUNS = ['running'] as const;

/** The dataset's own code takes long for each sample: on the CPU, or asleep in a wait. */
export const slowGetitem: Rule = {
  id: 'slow-getitem',
  needs: [switchesOrSamples],
  leavesOpen: slowestSamples,
  judge: (facts) => (isOnlySampled(facts) ? judgeLooks(facts) : judge(facts)),
};

function judge(facts: RankFacts): Judgement | undefined {
  const made = production(facts);
  if (made.batches === 0 || made.ns / made.batches < SLOW_BATCH_NS) return undefined;
  const work = workOf(facts, made);
  if (work === undefined) return undefined;
  const claims = claimsOf(work.kind);
  const { ns, events } = claimed(facts.costs, claims);
  const ownNs = work.kind === 'busy' ? ns * (1 - toldShare(facts)) : ns;
  const crowding = crowdingOf(facts, work.rows ?? []);
  if (!isWorthTelling(facts, ownNs + crowding.ns)) return undefined;
  const kinds = batchKinds(facts);
  const perBatch = perBatchText(made, work.kind, kinds);
  return {
    ...blamedIn(
      `The dataset takes long for ${kinds === undefined ? 'each sample' : 'a few samples'}`,
      {
        entry: work.place,
        inner: innerOf(work),
      },
    ),
    sentence: `${perBatch}${epochStartsText(facts)}${partsText(work)} The training loop waited ${formatDuration(ns + crowding.ns)} for that${ofItForCpus(facts, work.kind)}${crowding.ofItText}.`,
    confidence: work.confidence,
    evidence: [evidence(perBatch.replace(/\.$/, ''), 'exact', events), work.evidence],
    growth: makingGrowth(facts, innerOf(work) ?? work.place ?? 'the dataset'),
    ...(work.hasLines && { hotThreads: threadsOf(facts, work.kind) }),
    ...withCrowding(claims, crowding, crowding.ofItText),
    gain: { reach: 'waits' },
    fix: kinds === undefined ? fixFor(facts, work) : unevenFix(kinds),
    chain: {
      system: work.evidence,
      host: evidence(waitOf(facts, ns, 'waited for batches still being made'), 'exact', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** Of the workers’ time on a CPU, what is told with its own cause, 0…1. */
function toldShare(facts: RankFacts): number {
  return (readingWork(facts)?.share ?? 0) + (ownHelper(facts)?.askingShare ?? 0);
}

function threadsOf(facts: RankFacts, kind: Work['kind']): readonly number[] {
  return kind === 'helped' ? helpersOf(facts) : makersOf(facts);
}

/** `, 1.2 s of it because threads of the job had the CPUs`. */
function ofItForCpus({ costs }: RankFacts, kind: Work['kind']): string {
  const { ns } = claimed(costs, waitsForOwnThreads);
  return kind === 'helped' && ns > 0
    ? `, ${formatDuration(ns)} of it because threads of the job had the CPUs`
    : '';
}

/** Threads that help take CPUs as well, from the loop and from the workers. */
function claimsOf(kind: Work['kind']): (cell: CostCell) => boolean {
  const made = inputCell('worker', ...(kind === 'busy' ? RUNS : ASLEEP));
  return kind === 'helped' ? (cell) => made(cell) || waitsForOwnThreads(cell) : made;
}

/** Where only stacks that were read now and then tell what the workers did. */
function judgeLooks(facts: RankFacts): Judgement | undefined {
  const wait = inputWaitOfMaking(facts);
  if (wait === undefined) return undefined;
  const { making, claims } = wait;
  const { byStage, picking } = loaderSamples(facts);
  const [runningNs, asleepNs] = [making.runningNs.item, making.asleepNs.item];
  const inItemNs = runningNs + asleepNs;
  const { ns, events } = claimed(facts.costs, claims);
  // PyTorch's own TensorDataset only picks rows.
  if (inItemNs < making.ns * DOMINANT_SHARE || picking.length > byStage.item.length / 2)
    return undefined;
  if (!isWorthTelling(facts, ns)) return undefined;
  const isAsleep = asleepNs > runningNs;
  const where = `${isAsleep ? 'mostly asleep' : 'mostly on a CPU'}${lineText(facts, isAsleep)}`;
  const seen = `${looksText(making)} found the dataset’s own code for ${formatShare(inItemNs, making.ns)} of the time that was seen, ${where}`;
  const shown = evidence(
    seen,
    'inferred',
    isAsleep ? refsTo('off_cpu', making.asleepInItem) : refsTo('cpu_sample', byStage.item),
  );
  return {
    title: 'The dataset takes long for each sample',
    sentence: `${seen}. The training loop waited ${formatDuration(ns)} for input meanwhile.`,
    confidence: 'likely',
    evidence: [shown],
    hotThreads: makersOf(facts),
    claims,
    gain: { reach: 'waits' },
    fix: fixFor(facts, { kind: isAsleep ? 'asleep' : 'busy' }),
    chain: {
      system: shown,
      host: evidence(waitOf(facts, ns, 'waited for input'), 'inferred', events),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** `, in decode, line 12`: where they were met most, on a CPU or asleep. */
function lineText(facts: RankFacts, isAsleep: boolean): string {
  const lines = facts
    .hotLines(makersOf(facts))
    .filter(({ offCpuNs }) => (offCpuNs !== undefined) === isAsleep);
  const entry = lines.at(0);
  if (entry === undefined) return '';
  const own = lines.find((line) => line !== entry && line.share >= DOMINANT_SHARE) ?? entry;
  return own.line > 0 ? `, in ${own.function}, line ${own.line}` : `, in ${own.function}`;
}

/** Shares are of the time in which a worker did not wait for a CPU. */
function workOf(facts: RankFacts, made: Production): Work | undefined {
  const { byCause } = made;
  if (isMostlyAsleep(made)) return helped(facts) ?? asleep(facts);
  if (byCause.running < (made.ns - cpuWaitNs(made)) * DOMINANT_SHARE) return undefined;
  const samples = loaderSamples(facts);
  return samples.count >= SAMPLES_AT_LEAST ? sampledItems(facts, samples) : unsampledItems(made);
}

/** Where they wait for threads of their own that compute, it is that work which takes long. */
function helped(facts: RankFacts): Work | undefined {
  const place = placeOfHelpers(facts);
  if (place === undefined) return undefined;
  return {
    kind: 'helped',
    confidence: 'likely',
    evidence: evidence(`Most CPU samples of the workers’ own threads were in ${place}`, 'inferred'),
    place,
    hasLines: true,
  };
}

function asleep(facts: RankFacts): Work {
  const { events } = claimed(facts.costs, inputCell('worker', ...ASLEEP));
  const lines = facts.hotLines(makersOf(facts));
  const line = lines.find(
    ({ offCpuNs, share }) => offCpuNs !== undefined && share >= DOMINANT_SHARE,
  );
  const isItem = line !== undefined && /__(getitem|getitems|iter|next)__$/.test(line.function);
  const what = sleptFor(facts, events);
  const waitingFor = what === undefined ? '' : `, waiting for ${what}`;
  const text = isItem
    ? `They slept in ${line.function}, line ${line.line}${waitingFor}`
    : `They slept${waitingFor}, in the dataset or the collate_fn`;
  return {
    kind: 'asleep',
    confidence: isItem ? 'proven' : 'likely',
    evidence: evidence(text, isItem ? 'exact' : 'inferred', events),
    ...(isItem && line.share >= CLEARLY && { place: placeOfLine(line) }),
    parts: isItem ? itemParts(facts.trace, stacksOfWaits(facts)) : undefined,
    hasLines: line !== undefined,
  };
}

/** `Clips.__getitem__ (train.py:20)`. */
function placeOfLine({ function: name, file, line }: HotLine): string {
  return file === '' ? name : `${name} (${file.replace(/^.*\//, '')}${line > 0 ? `:${line}` : ''})`;
}

/** Short waits are many, and tell little: the longest that are so much of the waiting together. */
const TELLING_SHARE = 0.9;
/** More tell nothing else. */
const MOST_WAITS = 5_000;

/** Stacks of the longest waits in the dataset: rows of the stacks. */
function stacksOfWaits(facts: RankFacts): number[] {
  const { trace } = facts;
  const { stack, durationNs } = trace.tables.off_cpu.columns;
  const { entry } = loaderStacks(trace);
  const rows = makersOf(facts).flatMap((thread) => [...switchesWithin(facts, thread)]);
  const inDataset = rows
    .filter((row) => (entry[stack?.[row] ?? NONE] ?? NONE) !== NONE)
    .filter((row) => stateWhileAsleep(trace, row) !== stateCode.runnable)
    .sort((a, b) => durationNs[b] - durationNs[a]);
  let leftNs = inDataset.reduce((sum, row) => sum + durationNs[row], 0) * TELLING_SHARE;
  const telling = inDataset.filter((row) => {
    const isTelling = leftNs > 0;
    leftNs -= durationNs[row];
    return isTelling;
  });
  return telling.slice(0, MOST_WAITS).map((row) => stack?.[row] ?? NONE);
}

/** ` Of its CPU samples in the dataset, 97.0 % were in …` */
function partsText({ parts, about = '', kind, evidence: { text } }: Work): string {
  if (kind === 'helped') return ` ${text}.`;
  const what = kind === 'asleep' ? 'longest waits' : 'CPU samples in the dataset';
  const where = parts === undefined ? '' : ` Of its ${what}, ${parts.text}.`;
  return about === '' ? where : `${where} ${about}`;
}

function sampledItems(facts: RankFacts, { byStage, picking }: LoaderSamples): Work | undefined {
  const { trace } = facts;
  const picked = new Set(picking);
  // What the kernel does for lack of memory, or to fetch from a disk, is no work of the dataset's; a manager is told by itself.
  const forRoom = reachedMemoryLimit(facts)?.cpuRows;
  const told = new Set([...(readingWork(facts)?.rows ?? []), ...(ownHelper(facts)?.asking ?? [])]);
  const own = (rows: readonly number[]) =>
    rows.filter((row) => forRoom?.has(row) !== true && !told.has(row));
  const { item, collate, 'default-collate': defaultCollate, loader } = byStage;
  const count = own([...item, ...collate, ...defaultCollate, ...loader]).length;
  const inDataset = own(item).filter((row) => !picked.has(row));
  if (inDataset.length < count * DOMINANT_SHARE) return undefined;
  const text = `${formatCount(inDataset.length)} of ${formatCount(count)} CPU samples of making batches were in the dataset’s own code`;
  return {
    kind: 'busy',
    confidence: 'likely',
    evidence: evidence(text, 'inferred', refsTo('cpu_sample', inDataset)),
    place: entryOf(trace, inDataset),
    parts: itemParts(trace, sampledStacks(trace, inDataset)),
    about: [unnamedText(trace, inDataset), systemCallsText(facts, inDataset, makersOf(facts))]
      .filter(Boolean)
      .join(' '),
    rows: inDataset,
    hasLines: true,
  };
}

/** The function of the job's own that the loader, or a library's wrapper for it, called for clearly most of `rows`, samples in the dataset. */
function entryOf(trace: Trace, rows: readonly number[]): string | undefined {
  return mostSampled(trace, rows, loaderStacks(trace).called, CLEARLY);
}

function unsampledItems({ faultsPerSecond }: Production): Work | undefined {
  if (faultsPerSecond < 0 || faultsPerSecond > FEW_FAULTS_PER_SECOND) return undefined;
  const text = `The workers were on a CPU, with few page faults (${formatCount(Math.round(faultsPerSecond))} a second): they calculated more than they copied`;
  return {
    kind: 'busy',
    confidence: 'possible',
    evidence: evidence(text, 'inferred'),
    hasLines: false,
  };
}

function perBatchText(made: Production, kind: Work['kind'], kinds: BatchKinds | undefined): string {
  const { ns, batches, byCause } = made;
  const [share, did] =
    kind === 'asleep' || kind === 'helped'
      ? [
          formatShare(asleepNs(made), ns),
          kind === 'asleep' ? 'slept' : 'waited for its own threads',
        ]
      : [formatShare(byCause.running, ns), 'was on a CPU'];
  if (kinds === undefined)
    return `A worker needed ${formatDuration(ns / batches)} for a batch and ${did} for ${share} of that.`;
  const { short, long } = kinds;
  return `A worker needed about ${formatDuration(long.medianNs)} for ${formatCount(long.count)} batches and about ${formatDuration(short.medianNs)} for ${formatCount(short.count)} others, and ${did} for ${share} of the time.`;
}

const slowSamples = debugGuide(
  'a JPEG takes 5 to 20 ms to decode, a short video 50 to 200 ms; above 200 ms a sample starves a GPU even with 16 workers',
);

/** The sample that makes a batch long takes about what that is longer. */
function unevenFix({ short, long }: BatchKinds): Fix {
  const seconds = ((long.medianNs - short.medianNs) / 2e9).toPrecision(2);
  return {
    title: 'Find the samples that take long, and make them cheaper',
    text: `Few batches take most of the workers’ time, as where one recording or image is far larger than the others. This prints the index of each sample that takes more than ${seconds} s. Cut or convert those once, before training, leave them out, or spread them over batches. As long as they are there, a larger prefetch_factor hides some of the waiting.`,
    before: timedLoader('your_dataset'),
    after: `import time
from torch.utils.data import Dataset

class Timed(Dataset):
    def __init__(self, inner):
        self.inner = inner

    def __len__(self):
        return len(self.inner)

    def __getitem__(self, index):
        begin = time.perf_counter()
        item = self.inner[index]
        took = time.perf_counter() - begin
        if took > ${seconds}:
            print(f"sample {index} took {took:.3f} s", flush=True)
        return item

${timedLoader('Timed(your_dataset)')}`,
    language: 'python',
    sources: [slowSamples],
  };
}

const timedLoader = (dataset: string) =>
  `loader = DataLoader(${dataset}, batch_size=your_batch_size, num_workers=your_num_workers, **your_options)`;

const MAKE_BEFORE =
  'Compute once, before training, what is the same each time for a sample, keep it, and only read it from then on; what is random stays in __getitem__, or is done on the GPU, a whole batch at a time. Where only a part of the result is used, choose that part first, and make no more. Build what is the same for all samples, such as a table, a filter or a grid, once, in __init__.';

const HELPERS_MAKE = `${MAKE_BEFORE} Threads that run Python take turns at the interpreter, and all threads share the CPUs of the job: more of them help only where they wait, or where CPUs are free while code outside of Python works.`;

const WAIT_ONCE = `Wait for a server, a lock or a timer once per batch, as below, not once per sample; or before training: fetch the samples ahead and keep them on a local disk. ${WHOLE_BATCHES} Where nothing fetches many at once, ThreadPoolExecutor(8).map() there waits for eight at a time; each thread then needs a connection of its own. First remove any deliberate sleep, such as a rate limit.`;

/** `Clips.__getitem__` → `__getitem__` */
const methodOf = (place: string): string => place.slice(place.lastIndexOf('.') + 1);

/** `decode (data.py:12)`: the function within that of the dataset in which the time goes; undefined where it is that one. */
function innerOf({ place, parts }: Pick<Work, 'place' | 'parts'>): string | undefined {
  const inner = parts?.inner;
  if (inner === undefined) return undefined;
  return place !== undefined && functionOf(inner) === functionOf(place) ? undefined : inner;
}

function fixFor(
  facts: RankFacts,
  { kind, place, parts }: Pick<Work, 'kind' | 'place' | 'parts'>,
): Fix {
  if (kind === 'asleep')
    return {
      title: 'Wait once for a batch, not once for each sample',
      text: WAIT_ONCE,
      ...wholeBatches('your_fetch_one', 'your_fetch_all', 'one wait'),
    };
  const entry = place === undefined ? '__getitem__' : methodOf(functionOf(place));
  const innerPlace = innerOf({ place, parts });
  const inner = innerPlace && functionOf(innerPlace);
  const made = (inner === undefined ? undefined : callable(inner)) ?? 'your_prepare';
  if (/^__(iter|next)__$/.test(entry)) return streamFix(inner, entry, made);
  // What is gone through once is never met again.
  if (facts.steps.infers === true) return togetherFix(inner, entry, made);
  return {
    title: `Move ${inner ?? 'the work'} out of ${entry}`,
    text: kind === 'helped' ? HELPERS_MAKE : MAKE_BEFORE,
    before: `from torch.utils.data import Dataset

class YourDataset(Dataset):
    def __getitem__(self, index):
        made = ${made}(your_inputs[index])  # again in every epoch
        return your_rest_of_item(made, index)`,
    after: `from torch.utils.data import Dataset

if __name__ == "__main__":  # once, before training, and not again in each worker
    for index, each in enumerate(your_inputs):
        torch.save(${made}(each), f"ready-{index}.pt")

class YourDataset(Dataset):  # all else of it stays as it is
    def __getitem__(self, index):
        made = torch.load(f"ready-{index}.pt", weights_only=False)
        return your_rest_of_item(made, index)  # what is random stays here`,
    language: 'python',
    sources: [slowSamples],
  };
}

const streamLoader = (collate: string) =>
  `loader = DataLoader(YourDataset(), batch_size=your_batch_size, num_workers=your_num_workers, collate_fn=${collate}, **your_options)`;

/** For all samples of a batch, where nothing is made again that could be kept. */
function togetherFix(inner: string | undefined, entry: string, made: string): Fix {
  return {
    title: `Do ${inner ?? `the work of ${entry}`} for a whole batch at once`,
    text: `One call of NumPy or PyTorch for 64 samples costs little more than one for a single sample. ${WHOLE_BATCHES} Build what is the same for all samples, such as a table, a filter or a grid, once, in __init__. Samples that are used again and again can be made once, beforehand, and stored.`,
    ...wholeBatches(made, 'your_prepare_all', 'one call'),
    sources: [slowSamples],
  };
}

/** Of a dataset that is a stream: nothing is known by an index there, and a batch is put together from whole examples. */
function streamFix(inner: string | undefined, entry: string, made: string): Fix {
  return {
    title: `Do ${inner ?? `the work of ${entry}`} once for a batch, not for each example`,
    text: `A stream gives examples as they are, and the collate_fn, which workers run too, changes all of a batch at once: one call of NumPy or PyTorch for 64 examples costs little more than for one. Keep how the stream is split among workers, and what your collate_fn does besides. Arrays need no way through lists: torch.from_numpy() takes them as they are. What is the same for an example in every epoch can be done once, before training, and stored so.`,
    before: `from torch.utils.data import IterableDataset

class YourDataset(IterableDataset):
    def __iter__(self):
        for example in your_stream:
            yield ${made}(example)  # one at a time

${streamLoader('your_collate')}`,
    after: `from torch.utils.data import IterableDataset

class YourDataset(IterableDataset):
    def __iter__(self):
        yield from your_stream  # as they are

def prepared_batch(examples):
    return your_collate(your_prepare_all(examples))  # what ${inner ?? entry} does, for all of them at once

${streamLoader('prepared_batch')}`,
    language: 'python',
    sources: [slowSamples],
  };
}
