import type { Fix } from '../../../shared/answers/diagnosis.ts';
import { NONE } from '../../../shared/model/schema.ts';
import { formatDuration, plural } from '../../../shared/text/units.ts';
import type { HostWork } from '../../host/host-parts.ts';
import { samplesWithin } from '../../stacks/hot-lines.ts';
import { pooledFunctions } from '../../stacks/pool-stacks.ts';
import { passedOnFrom } from '../../threads/passed-on.ts';
import { CLEARLY, functionOf } from '../facts/culprit.ts';
import { evidence, refsTo } from '../facts/evidence.ts';
import type { RankFacts } from '../facts/facts.ts';
import { processText, threadText } from '../facts/job-shape.ts';
import { mostSampled } from '../facts/most-sampled.ts';
import { placeOfThreads, type Waker, wakersOf, workOfThread } from '../facts/thread-work.ts';
import { filesInWorkers, loadingDocs } from '../fixes/loader-fix.ts';
import { judgeHost, worksOf } from '../judging/judge-host.ts';
import { hostActivity } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

/**
 * The training loop waits for what other threads or processes of the job make for it, without PyTorch's DataLoader: batches in
 * a queue, results of a pool. A thread that only passes them on is looked through.
 */
export const producer: Rule = { id: 'producer', needs: [hostActivity], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const work = worksOf(facts).filter(({ kind }) => kind === 'producer');
  const makers = makersOf(facts, work);
  const found = judgeHost(facts, {
    kind: 'producer',
    title: 'The training loop waits for what other threads or processes of the job make',
    doing: 'waiting for what other threads or processes of the job make',
    more: () => whoMakes(facts, makers),
    fix: () => fix,
  });
  if (found === undefined) return undefined;
  const threads = makers.map(({ thread }) => thread);
  const place = pooledPlace(facts, threads) ?? placeOfThreads(facts, threads);
  return {
    ...found,
    ...(place !== undefined && {
      title: `What the training loop waits for is made too slowly, in ${place}`,
      culprit: functionOf(place),
    }),
    hotThreads: [...threads, facts.rank.mainThread],
  };
}

/** The function that a pool was given, where clearly most samples of its threads are in it. */
function pooledPlace({ trace, window }: RankFacts, threads: readonly number[]): string | undefined {
  const rows = threads.flatMap((thread) => [...samplesWithin(trace, thread, window)]);
  return mostSampled(trace, rows, pooledFunctions(trace), CLEARLY);
}

/** Who ended the waits in truth, those of most time first; not the training thread itself. */
function makersOf(facts: RankFacts, works: readonly HostWork[]): readonly Waker[] {
  const { trace, rank } = facts;
  const { waker } = trace.tables.off_cpu.columns;
  const endedBy = (row: number) => waker?.[passedOnFrom(trace, row)] ?? NONE;
  const at = works.flatMap((work) => [...work.at]);
  return wakersOf(facts, { at }, endedBy).filter(({ thread }) => thread !== rank.mainThread);
}

/** The one most waited for, and what it did meanwhile. */
function whoMakes(facts: RankFacts, makers: readonly Waker[]) {
  const [most] = makers;
  if (most === undefined) return { say: [], facts: [] };
  const { trace, rank } = facts;
  const { process } = trace.threads[most.thread];
  const isOwn = process === rank.process;
  const name = isOwn ? threadText(trace.threads[most.thread]) : processText(trace, process);
  const did = workOfThread(facts, most.thread, most.spans);
  const others = plural(
    makers.length - 1,
    isOwn ? 'other thread' : 'other process',
    isOwn ? 'other threads' : 'other processes',
  );
  const beside = makers.length > 1 ? `, and for ${others} like it` : '';
  const meanwhile = did === undefined ? '' : ` Meanwhile that was ${did}.`;
  const ended = `${plural(most.rows.length, 'wait')} that ${name} ended: ${formatDuration(most.ns)}`;
  return {
    say: [`It waited for ${name}${beside}.${meanwhile}`],
    facts: [evidence(ended, 'exact', refsTo('off_cpu', most.rows))],
  };
}

const fix: Fix = {
  title: 'Let the DataLoader’s workers make it, or make less of it',
  text: 'A thread of Python computes only while no other thread of the process does, the training loop included: what it computes belongs into a process. A DataLoader has workers for that, hands tensors over in shared memory and keeps batches ready; num_workers says how many, up to the CPUs that are free. Where all of them are busy, only making less helps: do it once, before training, and keep the result.',
  before: `import queue
import threading

ready = queue.Queue(maxsize=4)

def fill():
    for start in range(0, len(files), batch_size):
        ready.put(torch.stack([torch.from_numpy(decode(file)) for file in files[start:start + batch_size]]))
    ready.put(None)

threading.Thread(target=fill, daemon=True).start()
while (inputs := ready.get()) is not None:
    inputs = inputs.to(device)`,
  after: filesInWorkers,
  language: 'python',
  sources: [
    loadingDocs,
    {
      title: 'Python: concurrent execution, the global interpreter lock',
      url: 'https://docs.python.org/3/glossary.html#term-global-interpreter-lock',
    },
  ],
};
