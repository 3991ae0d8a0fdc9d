import type { Fix } from '../../../shared/answers/diagnosis.ts';
import type { WorkerGeneration } from '../../../shared/answers/jobs.ts';
import { codeOf, processEventKinds } from '../../../shared/model/codes.ts';
import type { EventRefs } from '../../../shared/model/event-ref.ts';
import { formatCount, formatDuration, plural } from '../../../shared/text/units.ts';
import { claimed, evidence, refsTo } from '../facts/evidence.ts';
import type { CostCell, RankFacts } from '../facts/facts.ts';
import { loaderLine } from '../fixes/snippets.ts';
import { debugGuide, optimisationGuide } from '../fixes/sources.ts';
import { idleDevice, waitOf } from '../judging/links.ts';
import { processEvents } from '../judging/needs.ts';
import type { Judgement, Rule } from '../rule.ts';

const claims = ({ cause }: CostCell) => cause === 'starting';

/** A loader's workers end with each epoch and are started anew for the next. */
export const persistentWorkers: Rule = { id: 'persistent-workers', needs: [processEvents], judge };

function judge(facts: RankFacts): Judgement | undefined {
  const generations = restarted(facts);
  const starts = generations.length;
  if (starts < 2) return undefined;
  const count = Math.max(...generations.map(({ workers }) => workers.length));
  const { ns, events } = claimed(facts.costs, claims);
  const forks = forksOf(facts, generations);
  const text = `${plural(count, 'DataLoader worker')} ${count === 1 ? 'was' : 'were'} started ${formatCount(starts)} times, ${startsText(starts, count)}`;
  const cost = ns > 0 ? ` That took ${formatDuration(ns)} of the training loop’s time.` : '';
  return {
    title: 'Every epoch starts its workers again',
    sentence: `${text}.${cost}`,
    confidence: 'proven',
    evidence: [evidence(text, 'exact', forks)],
    claims,
    // The first start remains.
    gainShare: (starts - 1) / starts,
    gain: { reach: 'waits' },
    fix: fixFor(count),
    chain: {
      system: evidence(text, 'exact', forks),
      host: evidence(
        waitOf(facts, ns, 'started workers, or waited for them to start,'),
        'exact',
        events,
      ),
      cuda: idleDevice(facts, claims),
    },
  };
}

/** When each start but the first was. */
function startsText(starts: number, count: number): string {
  const ones = count === 1 ? 'one' : 'ones';
  return starts === 2
    ? `the second time after the first ${ones} had ended`
    : `from the second time on after the ${ones} before had ended`;
}

/** The generations of the loader that was started most often, where each began after the one before. */
function restarted({ generations }: RankFacts): WorkerGeneration[] {
  const byLoader = new Map<number, WorkerGeneration[]>();
  for (const generation of generations) {
    const own = byLoader.get(generation.loader) ?? [];
    const lastEndNs = own.at(-1)?.endNs;
    const follows = lastEndNs !== undefined && (generation.startNs ?? -Infinity) >= lastEndNs;
    if (own.length === 0 || follows) own.push(generation);
    byLoader.set(generation.loader, own);
  }
  return [...byLoader.values()].reduce((most, own) => (own.length > most.length ? own : most), []);
}

function forksOf({ trace }: RankFacts, generations: readonly WorkerGeneration[]): EventRefs {
  const workers = new Set(generations.flatMap((generation) => generation.workers));
  const { kind, subject } = trace.tables.process_event.columns;
  const fork = codeOf(processEventKinds, 'fork');
  const rows: number[] = [];
  for (let row = 0; row < kind.length; row++) {
    const child = trace.threads[subject?.[row] ?? -1];
    if (kind[row] !== fork || child === undefined || !workers.has(child.process)) continue;
    if (trace.processes[child.process]?.pid === child.tid) rows.push(row);
  }
  return refsTo('process_event', rows);
}

function fixFor(count: number): Fix {
  return {
    title: 'Set persistent_workers=True',
    text: `The ${count === 1 ? 'worker stays' : 'workers stay'} alive between epochs, with what the dataset has opened and loaded. Keep the same loader object for all epochs.`,
    before: loaderLine(`num_workers=${count}`),
    after: loaderLine(`num_workers=${count}, persistent_workers=True`),
    language: 'python',
    sources: [
      debugGuide('5 to 30 s an epoch where starting a worker is much work'),
      optimisationGuide('5 to 10 % of the training time'),
    ],
  };
}
