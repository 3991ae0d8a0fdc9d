import { WORTH_TELLING_SHARE } from '../../../shared/answers/diagnosis.ts';
import { pidText } from '../../../shared/model/hosts.ts';
import type { ThreadInfo, Trace } from '../../../shared/model/trace.ts';
import { formatDuration, formatShare } from '../../../shared/text/units.ts';
import type { RankFacts } from './facts.ts';

/** Length of the time that is judged, ns. */
export function windowNs({ window }: Pick<RankFacts, 'window'>): number {
  return window[1] - window[0];
}

/** Whether so much time is worth a finding. */
export function isWorthTelling(facts: RankFacts, ns: number): boolean {
  return ns > 0 && ns >= windowNs(facts) * WORTH_TELLING_SHARE;
}

/** CPU time of what loop and workers computed, ns. A wait for the GPU may spin: it is no work. */
export function computedNs({ costs, workers }: Pick<RankFacts, 'costs' | 'workers'>): number {
  const own = costs.filter(
    ({ phase, whose, cause }) =>
      whose === 'main' && cause === 'running' && phase !== 'compute' && phase !== 'collective',
  );
  const ownNs = own.reduce((sum, { ns }) => sum + ns, 0);
  return workers.reduce((sum, { states }) => sum + states.runningNs, ownNs);
}

/** Most workers that the rank had at one time, of all its loaders. */
export function workersAtOnce({ generations }: Pick<RankFacts, 'generations'>): number {
  const ofLoader = new Map<number, number>();
  for (const { loader, workers } of generations)
    ofLoader.set(loader, Math.max(ofLoader.get(loader) ?? 0, workers.length));
  return [...ofLoader.values()].reduce((sum, count) => sum + count, 0);
}

/**
 * `num_workers=4`, for the Python that findings show. Without workers in the trace, a placeholder: a job that has none and
 * one whose workers were not recorded look the same.
 */
export function workersOption(facts: Pick<RankFacts, 'generations'>): string {
  return `num_workers=${workersAtOnce(facts) || 'your_num_workers'}`;
}

/** `dockerd (pid 311)`. */
export function processText(trace: Trace, process: number): string {
  const info = trace.processes[process];
  if (info === undefined || info.pid < 0) return 'a process that is not known';
  const pid = pidText(trace, info);
  return info.name === '' ? pid : `${info.name} (${pid})`;
}

/** `python3 (thread 4711)`. */
export function threadText({ name, tid }: Pick<ThreadInfo, 'name' | 'tid'>): string {
  return name === '' ? `thread ${tid}` : `${name} (thread ${tid})`;
}

/** `the training loop and the 4 workers it waited for`. */
export function loopText(facts: RankFacts): string {
  const workers = workersAtOnce(facts);
  if (workers === 0) return 'the training loop';
  return `the training loop or ${workers === 1 ? 'the worker' : `one of the ${workers} workers`} it waited for`;
}

/** `3.1 s (12.0 % of the time)`: of the time that is judged. */
export function shareText(facts: RankFacts, ns: number): string {
  return `${formatDuration(ns)} (${formatShare(ns, windowNs(facts))} of the time)`;
}
