import { NONE } from '../../../shared/model/schema.ts';
import type { Trace } from '../../../shared/model/trace.ts';
import { fail, ok, type Result } from '../../../shared/rpc/result.ts';
import type { TraceFileError } from '../../../shared/rpc/trace-file-errors.ts';
import { linkDriverCalls } from '../../build/link-driver-calls.ts';
import { refuseNothingLeft } from '../../build/nothing-left.ts';
import { TraceBuilder } from '../../build/trace-builder.ts';
import { jsonKeys } from '../../content/json-keys.ts';
import { baseTimeUs } from '../../event-json/base-time.ts';
import { ByteWindow } from '../../event-json/byte-window.ts';
import { type EventsRead, EventsReader } from '../../event-json/read-events.ts';
import { readNotices } from '../../event-json/read-notices.ts';
import { TextTable } from '../../event-json/text-table.ts';
import type { ImportContext, Importer, Recognisable } from '../../source/importer.ts';
import type { TraceSource } from '../../source/trace-source.ts';
import { type Beside, hostOf, isWanted, nothingBeside, readBeside } from './beside.ts';
import { stackCalls } from './call-stacks.ts';
import { tableFacts } from './notes.ts';
import { Recorded } from './recorded.ts';

const FORMAT = 'PyTorch profiler';
/** Beside `traceEvents` of any Chrome trace. */
const OWN_KEYS = ['deviceProperties', 'distributedInfo', 'schemaVersion', 'baseTimeNanoseconds'];
/** Where somebody rewrote the file: categories that only it has, those of 2021 included. */
const OWN_CATEGORIES = /"cat":\s*"(?:cpu_op|Operator|cuda_runtime|gpu_memcpy|user_annotation)"/;

/** Reads what `torch.profiler` exports (Kineto), of 2021 until now, CUDA and HIP. */
export const kinetoImporter: Importer = {
  format: 'the PyTorch profiler',
  recognises,
  importTrace,
};

function recognises({ head, database }: Recognisable): boolean {
  if (database !== undefined) return false;
  const text = head.toString('utf8');
  const keys = jsonKeys(text);
  const hasOwnKeys = OWN_KEYS.filter((key) => keys.has(key)).length;
  // What it says of its GPUs may be longer than a head.
  if (hasOwnKeys > 1) return true;
  if (keys.has('traceEvents')) return hasOwnKeys > 0 || OWN_CATEGORIES.test(text);
  return /^\ufeff?\s*\[/.test(text) && keys.has('ph') && OWN_CATEGORIES.test(text);
}

function importTrace(source: TraceSource, context: ImportContext): Result<Trace, TraceFileError> {
  const trace = new TraceBuilder();
  const texts = new TextTable();
  const recorded = new Recorded(texts, trace);
  const beside = nothingBeside();
  const baseUs = baseTimeUs(source.head);
  const reader = new EventsReader(
    new ByteWindow(source.parts()),
    { texts, baseUs },
    {
      onEvent: (event, bytes) => recorded.add(event, bytes),
      onValue: (key, json) => readBeside(beside, key, json),
      wants: isWanted,
      onProgress: (bytes) =>
        context.progress({ text: 'Reading events…', fraction: bytes / source.sizeBytes }),
    },
  );
  const read = reader.read();
  const refused = refuse(recorded, read, context.fileName);
  if (refused !== undefined) return refused;
  context.progress({ text: 'Arranging events…' });
  return ok(build(trace, recorded, read, { beside, baseUs, texts }));
}

function refuse(
  { calls, work, ranges, skipped }: Recorded,
  { left, isCut }: EventsRead,
  fileName: string,
): Result<never, TraceFileError> | undefined {
  const kept = calls.count + work.count + ranges.count;
  if (kept > 0) return undefined;
  const none = { kept: 0, skipped: 0 };
  if (isCut && left + skipped === 0)
    return fail(
      'file-truncated',
      `“${fileName}” ends before its first event: copy it again from where it was recorded.`,
    );
  return (
    refuseNothingLeft(fileName, { kept, skipped: skipped + left }, none) ??
    fail(
      'file-no-events',
      `“${fileName}” has no events, as the profiler was stopped before any step: record again, for longer.`,
    )
  );
}

interface Around {
  readonly beside: Beside;
  readonly baseUs: number;
  readonly texts: TextTable;
}

function build(
  trace: TraceBuilder,
  recorded: Recorded,
  read: EventsRead,
  { beside, baseUs, texts }: Around,
): Trace {
  const { calls, work, ranges, firstNs, tasks } = recorded;
  const batchSize = recorded.shapes.batchSize(calls, work);
  for (const { count, columns } of [calls, work, ranges])
    for (let row = 0; row < count; row++) columns.startNs[row] -= firstNs;
  trace.hosts.add(hostOf(beside));
  const driver = driverOf(recorded);
  const places = tasks.addTo(trace, sameAs(recorded, driver), (process) =>
    process === driver ? rankOf(beside) : {},
  );
  recorded.gpus.addTo(trace, beside.devices, places.get(driver) ?? NONE);
  const rows = trace.finishRows();
  linkDriverCalls(rows.columns('cuda_call'));
  const { names, stacks } = trace;
  stackCalls(rows.columns('cuda_call'), rows.columns('range'), names.texts, stacks);
  return trace.build({
    meta: {
      format: FORMAT,
      version: beside.version,
      beginUnixNs: beside.baseNs + BigInt(baseUs) * 1000n + BigInt(firstNs),
      lengthNs: rows.endNs,
      ...(batchSize !== undefined && { batchSize }),
    },
    tables: tableFacts(rows, read),
    notices: [
      ...readNotices(read, recorded.skipped),
      { level: 'info', text: recorded.counts.words(texts.texts) },
    ],
  });
}

/** The process that the profiler ran in: it writes a file of its own for each, unless somebody joined them. */
function driverOf({ callers, tasks }: Recorded): number {
  const processes = callers.size > 0 ? [...callers] : tasks.processes.filter((pid) => pid > 0);
  return processes.length === 1 ? processes[0] : NONE;
}

/** Python functions of threads that were there before the profiler stand at process 0: there is only one. */
function sameAs({ tasks }: Recorded, driver: number): (process: number) => number {
  const isAlone = driver > 0 && tasks.processes.every((pid) => pid === 0 || pid === driver);
  return (process) => (process === 0 && isAlone ? driver : process);
}

function rankOf({ rank, worldSize }: Beside) {
  return { ...(rank !== undefined && { rank }), ...(worldSize !== undefined && { worldSize }) };
}
