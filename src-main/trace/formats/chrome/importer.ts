import type { Trace } from '../../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import type { AbsenceReasons } from '../../build/absence.ts';
import { refuseNothingLeft } from '../../build/nothing-left.ts';
import { TraceBuilder } from '../../build/trace-builder.ts';
import { jsonKeys } from '../../content/json-keys.ts';
import { baseTimeUs } from '../../event-json/base-time.ts';
import { ByteWindow } from '../../event-json/byte-window.ts';
import { type EventsRead, EventsReader } from '../../event-json/read-events.ts';
import { provenanceOf, readNotices } from '../../event-json/read-notices.ts';
import { TextTable } from '../../event-json/text-table.ts';
import type { ImportContext, Importer, Recognisable } from '../../source/importer.ts';
import type { TraceSource } from '../../source/trace-source.ts';
import { Timeline } from './timeline.ts';

const FORMAT = 'Chrome trace';

/** Reads the Trace Event Format of whatever program: ranges, moments and counters on threads. */
export const chromeImporter: Importer = { format: 'Chrome', recognises, importTrace };

function recognises({ head, database }: Recognisable): boolean {
  if (database !== undefined) return false;
  const text = head.toString('utf8');
  const keys = jsonKeys(text);
  if (keys.has('traceEvents')) return true;
  return /^\ufeff?\s*\[/.test(text) && keys.has('ph') && (keys.has('ts') || keys.has('name'));
}

function importTrace(source: TraceSource, context: ImportContext): Result<Trace, TraceFileError> {
  const trace = new TraceBuilder();
  const texts = new TextTable();
  const timeline = new Timeline(texts, trace);
  const baseUs = baseTimeUs(source.head);
  const reader = new EventsReader(
    new ByteWindow(source.parts()),
    { texts, baseUs },
    {
      onEvent: (event, bytes) => timeline.add(event, bytes),
      // Whatever program wrote it may have put its environment there.
      wants: () => false,
      onValue: () => undefined,
      onProgress: (bytes) =>
        context.progress({ text: 'Reading events…', fraction: bytes / source.sizeBytes }),
    },
  );
  const read = reader.read();
  timeline.finish();
  const refused = refuse(timeline, read, context.fileName);
  if (refused !== undefined) return refused;
  context.progress({ text: 'Arranging events…' });
  return ok(build(trace, timeline, read, { baseUs, texts }));
}

function refuse(
  { ranges, samples, skipped }: Timeline,
  { left, isCut }: EventsRead,
  fileName: string,
): Result<never, TraceFileError> | undefined {
  if (ranges.count + samples.count > 0) return undefined;
  if (isCut && left + skipped === 0)
    return fail(
      'file-truncated',
      `“${fileName}” ends before its first event: copy it again from where it was recorded.`,
    );
  const events = { kept: 0, skipped: skipped + left };
  return (
    refuseNothingLeft(fileName, events, { kept: 0, skipped: 0 }) ??
    fail(
      'file-no-events',
      `“${fileName}” is a Chrome trace without a range, an instant event or a counter: record again, for longer.`,
    )
  );
}

function build(
  trace: TraceBuilder,
  { ranges, samples, firstNs, tasks, skipped, counts, open }: Timeline,
  read: EventsRead,
  { baseUs, texts }: { readonly baseUs: number; readonly texts: TextTable },
): Trace {
  for (const { count, columns } of [ranges, samples])
    for (let row = 0; row < count; row++) columns.startNs[row] -= firstNs;
  tasks.addTo(trace);
  const rows = trace.finishRows();
  const recordedAs = { source: '', op: '' };
  const provenance = provenanceOf(read, { kind: 'exact', note: 'All that the file has.' });
  return trace.build({
    meta: {
      format: FORMAT,
      version: '',
      beginUnixNs: BigInt(baseUs) * 1000n + BigInt(firstNs),
      lengthNs: rows.endNs,
    },
    tables: {
      absence,
      notes: {
        ...(rows.count('range') > 0 && { range: { provenance, recordedAs } }),
        ...(rows.count('sample') > 0 && {
          sample: {
            provenance: { kind: 'sampled', note: 'Counters, as the program set them.' },
            recordedAs,
          },
        }),
      },
    },
    notices: [
      ...readNotices(read, skipped),
      ...(open === 0 ? [] : [openNotice(open)]),
      { level: 'info', text: PLAIN },
      { level: 'info', text: counts.words(texts.texts) },
    ],
  });
}

const PLAIN =
  'A Chrome trace is shown as it is: it does not say what its ranges and counters mean, whether other recordings share its clock, or what a GPU or the scheduler did.';

function openNotice(open: number) {
  const text = `${open === 1 ? 'One range has' : `${open.toLocaleString('en-US')} ranges have`} a begin and no end in the file: they are shown up to its end.`;
  return { level: 'info', text } as const;
}

const absence: AbsenceReasons = {
  otherwise:
    'A Chrome trace has ranges, instant events and counters, and nothing else that can be told.',
  tables: {
    cuda_call:
      'A Chrome trace holds no CUDA calls that can be told as such: record the job with `stalltrace capture`.',
    range: 'This file has no ranges.',
    sample: 'This file has no counters.',
  },
  columns: {},
};
