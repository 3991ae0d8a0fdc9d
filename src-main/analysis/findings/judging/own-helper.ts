import { NONE } from '../../../shared/model/schema.ts';
import { bitsOfStacks } from '../../../shared/model/stacks.ts';
import { onceFor, perStacks } from '../../index/per-trace.ts';
import { jobIndex } from '../../jobs/job-index.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { claimed } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { isWorthTelling } from '../facts/job-shape.ts';
import { loaderSamples, SAMPLES_AT_LEAST } from '../facts/loader-work.ts';
import { ownNeighbours, shareOfOwn } from '../facts/own-neighbours.ts';
import { makingProcesses } from './loop-makers.ts';

type Neighbour = RankFacts['neighbours'][number];

/**
 * Processes of the job that neither train nor make batches, and had the CPUs while the loop, or its worker, was ready to run:
 * one, or several that do the same.
 */
export interface OwnHelper {
  /** The one that had them longest first. */
  readonly processes: readonly Neighbour[];
  readonly threads: readonly number[];
  /** The function that they were mostly sampled in; undefined where that is not known. */
  readonly mostlyIn: string | undefined;
  /** Of the waits for a CPU that the job itself had, 0…1. */
  readonly share: number;
  /** That is so long, ns. */
  readonly ns: number;
  /** A manager of Python's multiprocessing: it keeps what others look up. */
  readonly manages: boolean;
  /** Samples of making batches in which it was asked: rows of cpu_sample; none where they are few. */
  readonly asking: readonly number[];
  /** Of the making of batches on a CPU, 0…1. */
  readonly askingShare: number;
}

export const isOwnWait = ({ cause }: CostCell) => cause === 'runnable-own';

/** Those that had the CPUs longest, where that is worth telling. Found once per rank. */
export const ownHelper = onceFor((facts: RankFacts) => facts, findHelper);

function findHelper(facts: RankFacts): OwnHelper | undefined {
  // Whoever makes what the loop waits for is told with that.
  const making = makingProcesses(facts);
  const helpers = ownNeighbours(facts)
    .filter((neighbour) => isHelper(facts, neighbour) && !making.has(neighbour.process))
    .toSorted((a, b) => b.ns - a.ns)
    .map((process) => oneOf(facts, process));
  const groups = [...Map.groupBy(helpers, ({ does }) => does).values()].map((group) =>
    joined(facts, group),
  );
  const [most] = groups.toSorted((a, b) => b.ns - a.ns);
  if (most === undefined || !isWorthTelling(facts, most.ns)) return undefined;
  return { ...most, ...askingOf(facts, most.manages) };
}

/** `does`: equal for processes that do the same, by name and by the function that they were mostly sampled in. */
function oneOf(facts: RankFacts, process: Neighbour) {
  const threads = jobIndex(facts.trace).threadsOf(process.process);
  const mostlyIn = facts.hotLines(threads)[0]?.function;
  const name = facts.trace.processes[process.process]?.name;
  // What is not sampled may be anything.
  const does = mostlyIn === undefined ? process.process : `${name} ${mostlyIn}`;
  return { process, threads, mostlyIn, does };
}

function joined(facts: RankFacts, group: readonly ReturnType<typeof oneOf>[]) {
  const processes = group.map(({ process }) => process);
  const share = shareOfOwn(facts, (neighbour) => processes.includes(neighbour));
  const threads = group.flatMap((one) => one.threads);
  const ns = claimed(facts.costs, isOwnWait).ns * share;
  const { mostlyIn } = group[0];
  return { processes, threads, mostlyIn, share, ns, manages: isManager(facts, threads) };
}

function isHelper({ trace, rank, workers }: RankFacts, { process, ns }: Neighbour): boolean {
  if (ns === 0 || process === rank.process) return false;
  if (workers.some((worker) => worker.process === process)) return false;
  return trace.processes[process]?.role === 'other';
}

const MANAGER_FILE = /\/multiprocessing\/managers\.py$/;
/** Who asks it has that file on its stacks too. */
const SERVES = /(^|\.)(_run_server|serve_forever|accepter|handle_request|serve_client)$/;
const [ANSWERS, IN_MANAGER] = [1, 2];

/** By stack, bits: a manager of Python's multiprocessing answers, and whatever packs the answer stands inside of it; or it is asked. */
const inManager = perStacks((stacks) =>
  bitsOfStacks(stacks, ({ file = '', symbol }) => {
    if (!MANAGER_FILE.test(file)) return 0;
    return IN_MANAGER | (SERVES.test(symbol) ? ANSWERS : 0);
  }),
);

/** Of its samples, so many have to be in answering. Our own choice. */
const MOSTLY = 0.5;

function isManager({ trace, window }: RankFacts, threads: readonly number[]): boolean {
  const { stack } = trace.tables.cpu_sample.columns;
  const marks = inManager(trace);
  const seen = threads
    .flatMap((thread) => [...samplesWithin(trace, thread, window)])
    .filter((row) => (stack?.[row] ?? NONE) !== NONE);
  const own = seen.filter((row) => marks[stack?.[row] ?? NONE] & ANSWERS);
  return own.length > 0 && own.length >= seen.length * MOSTLY;
}

/** Less is within the error of a few samples. Our own choice. */
const SHARE_AT_LEAST = 0.2;

function askingOf(facts: RankFacts, manages: boolean): Pick<OwnHelper, 'asking' | 'askingShare'> {
  const { stack } = facts.trace.tables.cpu_sample.columns;
  const marks = inManager(facts.trace);
  const { count, byStage } = loaderSamples(facts);
  const asking = manages
    ? byStage.item.filter((row) => marks[stack?.[row] ?? NONE] & IN_MANAGER)
    : [];
  const isFew = count < SAMPLES_AT_LEAST || asking.length < count * SHARE_AT_LEAST;
  return isFew ? { asking: [], askingShare: 0 } : { asking, askingShare: asking.length / count };
}
