import type { CallExplanation } from '../../../src-main/shared/answers/explanation.ts';
import type { StretchExplanation } from '../../../src-main/shared/answers/stretch.ts';
import { formatCount, formatRate } from '../../../src-main/shared/text/units.ts';
import { isCopy, sizeText } from '../../../src-main/shared/words/call-text.ts';
import { COPY_FINDINGS } from '../../../src-main/shared/words/verdict-answer.ts';
import { hasMemory, othersText } from './memory-text.ts';

interface CardFact {
  readonly label: string;
  readonly value: string;
}

/** Page faults, size, rate and memory, and the place among its peers: each in one line. */
export function cardFacts(
  explanation: Pick<CallExplanation, 'call' | 'rate' | 'hostMemory' | 'memory' | 'rank'>,
): CardFact[] {
  const { call, memory, rank } = explanation;
  const facts: CardFact[] = [];
  if (hasMemory(memory))
    facts.push({ label: 'Page faults', value: othersText(memory) || 'none of its own thread' });
  if (isCopy(call) || call.bytes >= 0)
    facts.push({ label: isCopy(call) ? 'Copy' : 'Size', value: copyText(explanation) });
  if (rank.of > 1) facts.push({ label: 'Among its peers', value: rankText(rank) });
  return facts;
}

/** A fact of a stretch, and what it is about. */
interface StretchFact extends CardFact {
  readonly about: 'memory' | 'copy';
}

/** Findings that page faults are a part of. */
const MEMORY_FINDINGS: ReadonlySet<string> = new Set([
  ...['allocator', 'disk-bound', 'host-data-movement', 'lazy-init', 'memory-limit'],
  ...['memory-pressure', 'numa', 'shm', 'small-files', 'unpickle'],
]);

/** Whether a fact explains something of what a finding says. */
export function bearsOn(finding: string, about: StretchFact['about']): boolean {
  return about === 'memory' ? MEMORY_FINDINGS.has(finding) : COPY_FINDINGS.has(finding);
}

/** The same of a stretch of a thread's time: of itself, of the rest of its job, and of the largest copy in it. */
export function stretchFacts({
  memory,
  copy,
}: Pick<StretchExplanation, 'memory' | 'copy'>): StretchFact[] {
  const facts: StretchFact[] = [];
  if (memory !== undefined) {
    const [own, others] = [memory.own, memory.others].map((counts) =>
      countedText(counts, memory.isAtLeast),
    );
    facts.push({ label: 'Page faults', value: own || 'not recorded', about: 'memory' });
    if (others) facts.push({ label: 'In the job’s other threads', value: others, about: 'memory' });
  }
  if (copy !== undefined)
    facts.push({ label: 'Largest copy', value: copyText(copy), about: 'copy' });
  if (copy !== undefined && copy.rank.of > 1)
    facts.push({ label: 'Among its peers', value: rankText(copy.rank), about: 'copy' });
  return facts;
}

/** `at least 1,204 faults`; none is not called a least count. */
function countedText(counts: Parameters<typeof othersText>[0], isAtLeast: boolean): string {
  const { minorFaults = 0, majorFaults = 0, pageAllocations = 0 } = counts;
  const text = othersText(counts);
  if (!isAtLeast || text === '') return text;
  return minorFaults + majorFaults + pageAllocations === 0 ? 'none seen' : `at least ${text}`;
}

/** `400.0 MiB · H2D · 6.453 GB/s · pageable`. */
function copyText({
  call,
  rate,
  hostMemory,
}: Pick<CallExplanation, 'call' | 'rate' | 'hostMemory'>): string {
  const ofCopy = isCopy(call);
  return [
    sizeText(call),
    ...(ofCopy && call.direction !== 'none' ? [call.direction] : []),
    ...(rate === undefined ? [] : [formatRate(rate.bytesPerNs, 1)]),
    ...(ofCopy ? [hostMemory.kind] : []),
  ].join(' · ');
}

function rankText({ rank, of }: CallExplanation['rank']): string {
  return rank === 1
    ? `the slowest of ${formatCount(of)}`
    : `number ${formatCount(rank)} of ${formatCount(of)}, slowest first`;
}
