import { NONE } from '../../../shared/model/schema.ts';
import { onceFor } from '../../index/per-trace.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { loaderStacks, loaderStages } from '../../stacks/loader-stacks.ts';
import { loaderUsers } from '../../stacks/loader-users.ts';
import { switchesWithin } from './awaited-files.ts';
import type { RankFacts } from './facts.ts';
import { workersAtOnce } from './job-shape.ts';
import { makersOf } from './loader-work.ts';
import { onlyFunction } from './most-sampled.ts';

/** What the trace knows of the job's own code around its loader; undefined = not known, or there are several. */
export interface LoaderCode {
  /** `train (train.py:109)`: takes the batches. */
  readonly user: string | undefined;
  /** `Rows.__getitem__ (train.py:52)`: what the workers call. */
  readonly item: string | undefined;
  /** `--workers 4`, of the job's command line: it says as many as there were. */
  readonly workersArgument: string | undefined;
}

export const loaderCode = onceFor(
  (facts: RankFacts) => facts,
  (facts): LoaderCode => {
    const { trace, rank } = facts;
    const { stage, entry } = loaderStacks(trace);
    const isItem = (stack: number) => loaderStages[stage[stack] ?? 0] === 'item';
    return {
      user: onlyFunction(trace, stacksOf(facts, [rank.mainThread]), loaderUsers(trace)),
      item: onlyFunction(trace, stacksOf(facts, makersOf(facts)).filter(isItem), entry),
      workersArgument: workersArgument(
        trace.processes[rank.process]?.commandLine ?? '',
        workersAtOnce(facts),
      ),
    };
  },
);

/** `Rows`: the class of the job’s dataset, where it is known and can stand in Python as it is. */
export function datasetName(facts: RankFacts): string | undefined {
  return /^([A-Za-z_]\w{0,40})\.__\w+__ /.exec(loaderCode(facts).item ?? '')?.[1];
}

/** The stacks that `threads` were seen with within the window, as often as each was. */
function stacksOf(facts: RankFacts, threads: readonly number[]): number[] {
  const { cpu_sample: samples, off_cpu: waits } = facts.trace.tables;
  const known = threads.filter((thread) => thread >= 0);
  const ran = known.flatMap((thread) => [...samplesWithin(facts.trace, thread, facts.window)]);
  const slept = known.flatMap((thread) => [...switchesWithin(facts, thread)]);
  return [
    ...ran.map((row) => samples.columns.stack?.[row] ?? NONE),
    ...slept.map((row) => waits.columns.stack?.[row] ?? NONE),
  ].filter((stack) => stack !== NONE);
}

/** `--workers`, `--num-workers=4`, `data.num_workers=4`. */
const NAMES_WORKERS = /^([\w.-]{0,60}workers?[\w.-]{0,60})(?:=(\d+))?$/i;

/** The one argument of `line` whose name speaks of workers, if it says `count`. */
export function workersArgument(line: string, count: number): string | undefined {
  const words = line.split(' ').filter(Boolean);
  const found = words.flatMap((word, at) => {
    const [, name, number = words[at + 1]] = NAMES_WORKERS.exec(word) ?? [];
    const isSaid = name !== undefined && /^\d+$/.test(number ?? '');
    return isSaid
      ? [{ number: Number(number), text: word.includes('=') ? word : `${name} ${number}` }]
      : [];
  });
  const [only, ...others] = found;
  return count > 0 && others.length === 0 && only?.number === count ? only.text : undefined;
}
