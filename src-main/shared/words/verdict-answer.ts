import type { Diagnosis, Finding, RankDiagnosis } from '../answers/diagnosis.ts';
import type { Phase } from '../answers/steps.ts';
import { formatShare, NARROW_NO_BREAK_SPACE } from '../text/units.ts';
import { loopOwner } from './loop-words.ts';

/** A finding that costs less than this share of its rank's time is no answer to why it is slow. Our own choice. */
const WORTH_NAMING_SHARE = 0.05;

/** `42 %`: what is read at a glance needs no more digits. */
function roughShare(ns: number, lengthNs: number): string {
  const percent = (100 * ns) / lengthNs;
  return percent >= 1 && percent <= 99
    ? `${Math.round(percent)}${NARROW_NO_BREAK_SPACE}%`
    : formatShare(ns, lengthNs);
}

const lengthOf = ({ steps }: RankDiagnosis): number => steps.window[1] - steps.window[0];

/** ns: what the GPU's own records say it lost, or where there are none, what the phases of the loop took. */
function lostIn({ steps, starvation }: RankDiagnosis, phase: Phase | 'host'): number {
  const recorded = starvation.recorded?.all;
  if (recorded === undefined) return steps.total[phase === 'host' ? 'other' : phase];
  const { idleBy, h2dNs, computingNs, idleNs } = recorded;
  const lost = {
    input: idleBy.input,
    h2d: h2dNs + idleBy.copy,
    compute: computingNs,
    host: idleNs - idleBy.input - idleBy.copy - idleBy.collective - idleBy.request,
  };
  return phase in lost ? lost[phase as keyof typeof lost] : 0;
}

const shareOf = (rank: RankDiagnosis, phase: Phase | 'host'): string =>
  roughShare(lostIn(rank, phase), lengthOf(rank));

/** What the shares are of: a loop whose steps are not found has none. */
const ofEach = ({ steps }: RankDiagnosis): string =>
  steps.count > 0 ? 'of each step' : 'of the time';

function sentenceOf(verdict: Diagnosis['verdict'], lead: RankDiagnosis): string {
  switch (verdict) {
    case 'input-bound':
      return `${shareOf(lead, 'input')} ${ofEach(lead)} waits for data`;
    case 'input-straggler':
      return `${lead.rank.label} keeps the other ranks waiting for its data`;
    case 'h2d-bound':
      return `${shareOf(lead, 'h2d')} ${ofEach(lead)} goes to copies to the GPU`;
    case 'compute-bound':
      return lead.starvation.recorded === undefined
        ? `${shareOf(lead, 'compute')} ${ofEach(lead)} is the GPU’s own work, or a wait for it`
        : `The GPU computes ${shareOf(lead, 'compute')} of the time: it is the limit`;
    case 'host-bound':
      return `${shareOf(lead, 'host')} ${ofEach(lead)} waits for ${loopOwner(lead.steps)}`;
    case 'serving':
      return 'This job answers requests, and may wait for them';
    case 'balanced':
      return 'Neither data nor copies hold this job up';
    case 'unknown':
      return 'What the GPU waited for is not in this file';
  }
}

/** The verdict in plain words, with one number: the largest type of the page. */
export function verdictAnswer({
  verdict,
  ranks,
  lead = 0,
  clues,
  findings,
}: Pick<Diagnosis, 'verdict' | 'ranks' | 'lead' | 'clues' | 'findings'>): string {
  const [clue] = clues ?? [];
  if (clue !== undefined) return clue.text;
  const own = ranks[lead];
  const [first] = findings;
  if (verdict === 'unknown' && first !== undefined && first.costNs > 0)
    return `${first.title}: ${roughShare(first.costShare, 1)} of the time`;
  if (own === undefined) return 'What the GPU waited for is not in this file';
  // It does no work of its own meanwhile.
  if (verdict === 'host-bound' && first?.id === 'stopped' && first.rank === lead)
    return `${roughShare(first.costShare, 1)} ${ofEach(own)} the job is stopped`;
  if (verdict === 'balanced' && first?.rank === lead && RANK_WAITS.has(first.id))
    return `${roughShare(first.costShare, 1)} ${ofEach(own)} waits for other ranks`;
  const wait = costliestCpuWait({ verdict, ranks, lead, findings });
  if (wait !== undefined) return `${roughShare(wait.costShare, 1)} ${ofEach(own)} waits for a CPU`;
  const does =
    first?.rank === lead && verdict === 'host-bound' ? waitOfLoop(own, first) : undefined;
  return does === undefined
    ? sentenceOf(verdict, own)
    : `${roughShare(first.costShare, 1)} ${ofEach(own)} ${does}`;
}

/** Findings whose cost is time in collectives. */
const RANK_WAITS: ReadonlySet<string> = new Set(['collective', 'late-rank']);

/** Findings whose cost is time in which the loop does no work of its own either: what it does instead. */
const LOOP_WAITS: ReadonlyMap<string, string> = new Map([
  ['subprocess-wait', 'waits for a program'],
  ['slow-server', 'waits for another process'],
  ['producer', 'waits for another part of the job'],
  ['thread-lock', 'waits for another thread'],
  ['shared-lock', 'waits for a lock'],
  ['sleep', 'goes to sleeping'],
]);

/** What the loop does in most of the time that the verdict is named after, where that is a wait. */
const waitOfLoop = (own: RankDiagnosis, { id, costShare }: Finding): string | undefined =>
  costShare * lengthOf(own) >= lostIn(own, 'host') / 2 ? LOOP_WAITS.get(id) : undefined;

/** Findings whose cost is time in which the loop, or a worker that it waited for, had no CPU. */
const CPU_WAITS: ReadonlySet<string> = new Set([
  ...['affinity', 'cpu-quota', 'cpu-steal', 'cpu-wait', 'noisy-neighbour', 'own-process'],
  ...['thread-oversubscription', 'workers-to-cores'],
]);
const OWN_PHASES: Partial<Record<Diagnosis['verdict'], Phase | 'host'>> = {
  'input-bound': 'input',
  'h2d-bound': 'h2d',
  'host-bound': 'host',
};

/** The costliest finding where it is a wait for a CPU that takes more than what the verdict is named after: the answer is that. */
function costliestCpuWait({
  verdict,
  ranks,
  lead = 0,
  findings: [first],
}: Pick<Diagnosis, 'verdict' | 'ranks' | 'lead' | 'findings'>): Finding | undefined {
  const own = ranks[lead];
  const phase = OWN_PHASES[verdict];
  if (own === undefined || phase === undefined || first?.rank !== lead) return undefined;
  const isMore = first.costShare * lengthOf(own) > lostIn(own, phase);
  return isMore && CPU_WAITS.has(first.id) && first.costShare >= WORTH_NAMING_SHARE
    ? first
    : undefined;
}

/** The kind of the answer, for a badge: a wait for a CPU where that is what the answer says, else the verdict. */
export function verdictKind(
  diagnosis: Pick<Diagnosis, 'verdict' | 'ranks' | 'lead' | 'findings'>,
): Diagnosis['verdict'] | 'cpu-wait' {
  return costliestCpuWait(diagnosis) === undefined ? diagnosis.verdict : 'cpu-wait';
}

/** Findings that copies to the GPU are the evidence of. */
export const COPY_FINDINGS: ReadonlySet<string> = new Set([
  ...['batch-transfers', 'numa', 'overlap-h2d', 'pin-memory'],
]);

/** Whether a copy shows the answer: else the slowest one is no place to begin at. */
export function copiesMatter(diagnosis: Pick<Diagnosis, 'verdict' | 'findings'>): boolean {
  const cause = mainCause(diagnosis);
  return cause === undefined ? diagnosis.verdict === 'h2d-bound' : COPY_FINDINGS.has(cause.id);
}

/** The finding that the answer is explained with: the costliest, where it is worth naming. */
export function mainCause({ findings: [first] }: Pick<Diagnosis, 'findings'>): Finding | undefined {
  return first !== undefined && first.costNs > 0 && first.costShare >= WORTH_NAMING_SHARE
    ? first
    : undefined;
}

/** Another finding that costs at least so much of what the main cause does is told with it. Our own choice. */
const BESIDE_SHARE = 0.5;

/** The costliest finding besides the main cause where it costs about as much, of the same rank: shares of one time. */
export function secondCause(diagnosis: Pick<Diagnosis, 'findings'>): Finding | undefined {
  const first = mainCause(diagnosis);
  if (first === undefined) return undefined;
  const least = Math.max(WORTH_NAMING_SHARE, first.costShare * BESIDE_SHARE);
  return diagnosis.findings.find(
    (other) =>
      other !== first &&
      other.rank === first.rank &&
      other.id !== first.id &&
      other.costNs > 0 &&
      other.costShare >= least,
  );
}
