import { gpuWorkFacts } from '../../../src-main/shared/answers/gpu-work.ts';
import type { RowFacts } from '../../../src-main/shared/answers/row-facts.ts';
import { gpuLabel } from '../../../src-main/shared/model/hosts.ts';
import { cleanText } from '../../../src-main/shared/text/text.ts';
import { formatRate } from '../../../src-main/shared/text/units.ts';
import { gpuWorkWords } from '../../../src-main/shared/words/gpu-work-words.ts';
import { remember } from '../../../src-main/timeline/model/remember.ts';
import type { TraceView } from '../../../src-main/timeline/model/trace-data.ts';
import { traceNames } from '../../../src-main/timeline/model/trace-names.ts';
import { type ReadCell, rowCells } from './row-cells.ts';

interface Fact {
  readonly label: string;
  readonly value: string;
  readonly title?: string;
}

/** Where a piece of GPU work ran: GPU, stream, process. */
function placeFacts({ summary }: TraceView, read: ReadCell): Fact[] {
  const names = remember(summary, 'names', () => traceNames(summary));
  const [gpu, stream, owner] = ['gpu', 'stream', 'process'].map(read);
  const facts: Fact[] = [];
  if (gpu !== undefined && gpu >= 0) {
    const model = summary.gpus[gpu]?.model ?? '';
    const value = cleanText([gpuLabel(summary, gpu), model].filter(Boolean).join(' · '));
    facts.push({ label: 'GPU', value });
  }
  if (stream !== undefined && stream >= 0)
    facts.push({ label: 'Stream', value: names.streamLabel(stream) || String(stream) });
  const process = summary.processes[owner ?? -1];
  if (process !== undefined)
    facts.push({ label: 'Process', value: `${cleanText(process.name)} · pid ${process.pid}` });
  return facts;
}

/** What is known of a row of gpu_work beside its time: what and where it was, how fast. */
export function workFacts(data: TraceView, read: ReadCell): Fact[] {
  const known = gpuWorkFacts(read);
  const { bytes = 0 } = known;
  const durationNs = read('durationNs') ?? 0;
  const facts: Fact[] = [...placeFacts(data, read), ...gpuWorkWords(known)];
  const isMoved = bytes > 0 && durationNs > 0 && known.kind !== 'kernel';
  if (isMoved) facts.push({ label: 'Rate', value: formatRate(bytes, durationNs) });
  return facts;
}

const LONG_NAME = 160;

/** The same for a tooltip: who asked for it first, a long name cut. */
export function workTooltip(
  data: TraceView,
  told: RowFacts,
): (readonly [label: string, value: string])[] {
  const { submitter, fullName } = told;
  const asked =
    submitter === undefined
      ? []
      : ([
          ['Asked for by', `${submitter.name} · ${submitter.thread}`],
          ['Queue delay', submitter.delay],
        ] as const);
  const facts = workFacts(data, rowCells(told)).map(({ label, value }) => [label, value] as const);
  const named =
    fullName === undefined ? [] : [['In full', cleanText(fullName, LONG_NAME)] as const];
  return [...asked, ...facts, ...named];
}
