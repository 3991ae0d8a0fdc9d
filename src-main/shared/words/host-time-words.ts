import type { RankDiagnosis } from '../answers/diagnosis.ts';
import type { HostKind } from '../answers/host-time.ts';
import { phaseLabel, windowAmount } from './phase-rows.ts';

/** What the loop was busy with; empty where that is not known. */
export const kindWords: Readonly<Record<HostKind, string>> = {
  none: '',
  loader: 'taking batches over from the loader, and giving them back',
  helper: 'waiting for threads that compute for it',
  'garbage-collection': 'collecting garbage',
  compiling: 'compiling code',
  checkpoint: 'saving',
  'slow-output': 'printing and logging',
  'subprocess-wait': 'waiting for another program',
  evaluation: 'evaluating',
  'host-metrics': 'metrics and other figures',
  'host-data-movement': 'getting batches ready',
  producer: 'waiting for what the job produces in parallel',
  'thread-lock': 'waiting for another thread',
  'shared-lock': 'waiting for a lock between processes',
  'slow-server': 'waiting for a server, or another process',
  sleep: 'sleeping on purpose',
  gil: 'waiting for the Python interpreter',
  stopped: 'stopped from outside',
};

/** What the other time of one rank's loop went to, by line, most first; none where it was little. */
export function hostTimeLines(
  told: Pick<RankDiagnosis, 'hostTime' | 'steps' | 'inputKnown'>,
): string[] {
  const { hostTime, steps } = told;
  if (hostTime === undefined) return [];
  const amount = (ns: number) => windowAmount(steps, ns);
  return [
    `${phaseLabel('other', told)}, ${amount(hostTime.ns)}, by line of code:`,
    ...hostTime.parts.map(({ kind, place, state, often, ns }) => {
      const at = place === undefined ? 'at a line that is not known' : `in ${place}`;
      const where = often === undefined ? at : `${at}, ${often}`;
      const what = [kindWords[kind], state].filter((text) => text !== '').join(', ');
      return `${amount(ns)} ${where}${what === '' ? '' : `: ${what}`}`;
    }),
    ...(hostTime.restNs > 0 ? [`${amount(hostTime.restNs)} in many small parts, or not seen`] : []),
  ];
}
