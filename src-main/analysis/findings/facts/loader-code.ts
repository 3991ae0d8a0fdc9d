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
    const items = entry.map((at, stack) => (loaderStages[stage[stack]] === 'item' ? at : NONE));
    return {
      user: onlyFunction(trace, stacksOf(facts, [rank.mainThread]), loaderUsers(trace)),
      item: onlyFunction(trace, stacksOf(facts, makersOf(facts)), items),
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
function* stacksOf(facts: RankFacts, threads: readonly number[]): Generator<number> {
  const { cpu_sample: samples, off_cpu: waits } = facts.trace.tables;
  for (const thread of threads.filter((each) => each >= 0)) {
    for (const row of samplesWithin(facts.trace, thread, facts.window))
      yield samples.columns.stack?.[row] ?? NONE;
    for (const row of switchesWithin(facts, thread)) yield waits.columns.stack?.[row] ?? NONE;
  }
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
