import { cleanText } from '../../shared/text/text.ts';
import { whyMissing } from '../../shared/words/why-missing.ts';
import { eventColumns } from '../model/event-source.ts';
import { buildLane, ownEvents } from '../model/pyramid.ts';
import type { TraceData } from '../model/trace-data.ts';
import type { EventTrack } from '../model/track-model.ts';
import { lackingKernels, processNote, recordsKernels } from './gpu-kernels.ts';

/** A row that says why a part of the GPU's own record is not there, in place of an empty one. */
function missingTrack(id: string, label: string, why: string): EventTrack {
  const none = buildLane(
    ownEvents({
      startNs: new Float64Array(0),
      durationNs: new Float64Array(0),
      rows: new Uint32Array(0),
      colours: new Uint8Array(0),
    }),
  );
  return {
    ...{ id, kind: 'marks', label, detail: '', badge: '', provenance: why, expandable: false },
    recorded: { startNs: 0, endNs: 0 },
    unrecorded: why,
    summary: () => none,
    lanes: () => [none],
    nameOf: () => label,
    kinds: () => new Map(),
    kindOf: () => 0,
    kindName: () => label,
  };
}

/** Where a trace has CUDA calls: that it has no record of what GPUs did for them, and why. */
export function missingRecord({ summary, tables }: TraceData): EventTrack[] {
  if (eventColumns(tables, 'cuda_call') === undefined || summary.tables.gpu_work.rows > 0)
    return [];
  const why = whyMissing(summary.tables, 'gpu_work', 'What the GPU did is not recorded.');
  return [missingTrack('gpu_work:missing', 'GPU work', cleanText(why))];
}

/** Where the record of a GPU is of copies and fills only, though kernels were launched: of all its processes, or of some. */
export function missingKernels(data: TraceData, gpu: number): EventTrack[] {
  const lacking = lackingKernels(data, gpu);
  if (lacking.length === 0) return [];
  const { provenance } = data.summary.tables.gpu_work;
  const why = provenance.kind === 'partial' && provenance.note;
  const whose = recordsKernels(data, gpu)
    ? ` of ${lacking.map((process) => processNote(data, process)).join(', ')}`
    : '';
  const text = `Kernels${whose} are not recorded: of what the GPU did, only copies and fills are.`;
  return [missingTrack(`gpu_work:kernels:${gpu}`, 'Kernels', cleanText(why || text))];
}
