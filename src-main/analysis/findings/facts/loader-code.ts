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
  /** `Rows`: the class of the dataset, where it can stand in Python as it is. */
  readonly dataset: string | undefined;
  /** `--workers 4`, of the job's command line: it says as many as there were. */
  readonly workersArgument: string | undefined;
  /** Samples of a batch, of the job's command line. */
  readonly batchSize: number | undefined;
  /** `train.py`, of the job's command line. */
  readonly script: string | undefined;
}

export const loaderCode = onceFor(
  (facts: RankFacts) => facts,
  (facts): LoaderCode => {
    const { trace, rank } = facts;
    const { stage, entry } = loaderStacks(trace);
    const items = entry.map((at, stack) => (loaderStages[stage[stack]] === 'item' ? at : NONE));
    const line = trace.processes[rank.process]?.commandLine ?? '';
    return {
      user: onlyFunction(trace, stacksOf(facts, [rank.mainThread]), loaderUsers(trace)),
      dataset: className(onlyFunction(trace, stacksOf(facts, makersOf(facts)), items)),
      workersArgument: workersArgument(line, workersAtOnce(facts)),
      batchSize: batchSizeOf(line),
      script: /(?:^|[\s/])([\w.-]{1,60}\.py)(?:\s|$)/.exec(line)?.[1],
    };
  },
);

/** `Rows` of `Rows.__getitem__ (train.py:52)`. */
function className(item: string | undefined): string | undefined {
  return /^([A-Za-z_]\w{0,40})\.__\w+__ /.exec(item ?? '')?.[1];
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
/** `--batch-size`, `--batch_size=32`, `data.batch_size=32`, `--train-batch-size`; of a whole step on all GPUs it is another. */
const NAMES_BATCH = /^(-{1,2}|(?:[\w-]+\.)*)((?:train[-_])?batch[-_]?size)(?:=(\d+))?$/i;

/** The one argument of `line` whose name speaks of workers, if it says `count`. */
export function workersArgument(line: string, count: number): string | undefined {
  const found = numbersNamed(line, (word) => NAMES_WORKERS.exec(word));
  const [only, ...others] = found;
  return count > 0 && others.length === 0 && only?.number === count ? only.text : undefined;
}

/** What the one argument of `line` that is named for it says of the size of a batch. */
export function batchSizeOf(line: string): number | undefined {
  const [only, ...others] = numbersNamed(line, (word) => {
    const [all = '', before = '', name = '', number] = NAMES_BATCH.exec(word) ?? [];
    return all === '' ? null : [all, `${before}${name}`, number];
  });
  return others.length === 0 && only !== undefined && only.number > 0 ? only.number : undefined;
}

/** The arguments of `line` with a number, by what `named` reads of a word: all of it, the name and the number where it is there. */
function numbersNamed(
  line: string,
  named: (word: string) => readonly (string | undefined)[] | null,
): { number: number; text: string }[] {
  const words = line.split(' ').filter(Boolean);
  return words.flatMap((word, at) => {
    const [, name, number = words[at + 1]] = named(word) ?? [];
    const isSaid = name !== undefined && /^\d+$/.test(number ?? '');
    return isSaid
      ? [{ number: Number(number), text: word.includes('=') ? word : `${name} ${number}` }]
      : [];
  });
}
