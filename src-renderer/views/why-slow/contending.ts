import type { Contender, Contention } from '../../../src-main/shared/answers/explanation.ts';
import type { ThreadLabel } from '../../../src-main/shared/answers/jobs.ts';
import { formatDuration, formatShare } from '../../../src-main/shared/text/units.ts';

/** The threads of one process that ran instead. */
export interface ContendingProcess
  extends Pick<ThreadLabel, 'process' | 'pid' | 'host' | 'name' | 'role' | 'lineage' | 'relation'> {
  readonly ns: number;
  readonly relationText: string;
  /** Most first. */
  readonly threads: readonly Contender[];
}

/** Its place beside the rank that is explained, in words: what wrote the trace must not look like a culprit. */
export const relationTexts: Readonly<Record<ThreadLabel['relation'], string>> = {
  self: 'the process that waited',
  'own-rank': 'of this job',
  'own-job': 'another rank of this job',
  other: 'not of this job',
  kernel: 'kernel',
  recorder: 'the recorder itself',
};

/** With less of a moment the recorder is not told of beside it. Our own choice. */
const RECORDER_SHARE = 0.05;

/** How much CPU time the recorder took while threads of a moment waited for a CPU; empty where it is little. */
export function recorderText(
  ran: readonly { readonly relation: ThreadLabel['relation']; readonly ns: number }[],
  lengthNs: number,
): string {
  const own = ran.filter(({ relation }) => relation === 'recorder');
  const ns = own.reduce((sum, one) => sum + one.ns, 0);
  if (ns === 0 || ns < lengthNs * RECORDER_SHARE) return '';
  return `The recorder had a CPU for ${formatShare(ns, lengthNs)} of this time: a run without a recording does not lose that.`;
}

/** Contenders by process, the one that ran most first. Threads without a process stand alone. */
export function contendingProcesses(contenders: readonly Contender[]): ContendingProcess[] {
  const found = new Map<string, Contender[]>();
  for (const contender of contenders) {
    const { process, thread } = contender;
    const key = process < 0 ? `thread ${thread}` : String(process);
    found.set(key, [...(found.get(key) ?? []), contender]);
  }
  return [...found.values()]
    .map((all) => {
      const threads = all.toSorted((a, b) => b.ns - a.ns);
      const [{ process, pid, host, name, role, lineage, relation }] = threads as [Contender];
      const ns = threads.reduce((sum, thread) => sum + thread.ns, 0);
      return {
        process,
        pid,
        ...(host !== undefined && { host }),
        name,
        role,
        lineage,
        relation,
        ns,
        threads,
        relationText: relationTexts[relation],
      };
    })
    .toSorted((a, b) => b.ns - a.ns);
}

/** `on CPU 1`; of several, how long on each: `8.1 ms on CPU 1, 4.3 ms on CPU 0`. */
export function cpusText({ cpus }: Pick<Contender, 'cpus'>): string {
  if (cpus.length === 1) return `on CPU ${cpus[0]?.cpu}`;
  const shown = cpus
    .toSorted((a, b) => b.ns - a.ns)
    .slice(0, 3)
    .map((each) => `${formatDuration(each.ns)} on CPU ${each.cpu}`);
  const left = cpus.length - shown.length;
  return [...shown, ...(left > 0 ? [`the rest on ${left} more`] : [])].join(', ');
}

/** What "Who ran instead" says while it is closed. */
export function contentionFigure({
  runnableNs,
  othersRanNs,
  unknownNs,
  outsideJob,
}: Pick<Contention, 'runnableNs' | 'othersRanNs' | 'unknownNs' | 'outsideJob'>): string {
  const waited = formatDuration(runnableNs);
  if (othersRanNs > 0) return `${formatDuration(othersRanNs)} of ${waited} waiting`;
  if (unknownNs === 0) return `nobody, for ${waited}`;
  if (outsideJob) return `outside this job, for ${formatDuration(unknownNs)} of ${waited}`;
  return unknownNs === runnableNs
    ? `not recorded, for ${waited}`
    : `not recorded for ${formatDuration(unknownNs)} of ${waited}`;
}

/** The time for which nobody is named, and why. */
export function nobodyRan({ throttledNs, idleNs, unknownNs, outsideJob }: Contention): string[] {
  const sentences: string[] = [];
  if (throttledNs > 0)
    sentences.push(
      `For ${formatDuration(throttledNs)} a CPU quota kept it from running: nobody ran instead.`,
    );
  if (idleNs > 0)
    sentences.push(
      `For ${formatDuration(idleNs)} its CPU was idle: the thread was about to run, and nobody held it up.`,
    );
  if (unknownNs > 0)
    sentences.push(
      outsideJob
        ? `For ${formatDuration(unknownNs)} no thread of this job had its CPU: something outside the job, or the kernel, had it.`
        : `For ${formatDuration(unknownNs)} it is not recorded who ran on its CPU.`,
    );
  return sentences;
}
