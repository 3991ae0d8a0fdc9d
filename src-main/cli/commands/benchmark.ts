import { resolve } from 'node:path';
import { loopKindOf } from '../../shared/answers/loop-kind.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { defineCommand } from '../command/command.ts';
import { checkOutputs } from '../output/check-outputs.ts';
import { reportFailure } from '../output/report-failure.ts';
import { writeText } from '../output/write-text.ts';
import { contextUntil } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { withTrace } from '../trace/with-trace.ts';

interface BenchmarkOptions {
  /** Absolute, as is `out` unless it is `-` for stdout. */
  readonly file: string;
  readonly out: string;
  readonly force: boolean;
}

export const benchmark = defineCommand({
  name: 'benchmark',
  synopsis: 'FILE --out SCRIPT.py',
  summary: "a script that measures the job's loader with several settings",
  usage: `Usage: stalltrace benchmark FILE --out SCRIPT.py [--force]

Writes a Python script that measures the loader of the recorded job with several settings, and the
loop without loading. Run it on the host of the job; open the JSON that it writes in the app.

  --out SCRIPT.py   where to write it; - writes it to stdout
  --force           replaces a file that exists`,
  options: { out: { type: 'string' }, force: { type: 'boolean', default: false } },
  takesOperands: true,
  read({ values, operands: [file = '', ...more] }, startFolder): BenchmarkOptions | string {
    const { out = '', force } = values;
    if (file === '') return 'Name the trace file to make the script from.';
    if (more.length > 0) return 'Name one trace file only.';
    if (out === '') return 'Say where to write the script: --out SCRIPT.py, or --out - for stdout.';
    return {
      file: resolve(startFolder, file),
      out: out === '-' ? out : resolve(startFolder, out),
      force,
    };
  },
  async run(options) {
    const stop = new AbortController();
    onStopSignal(stop);
    const done = await write(options, contextUntil(stop.signal));
    return done.ok ? 0 : reportFailure(done.error);
  },
});

const SERVES =
  'The job in this trace serves requests: it has no DataLoader to be measured. Name the trace of a training job.';

async function write(
  { file, out, force }: BenchmarkOptions,
  context: CallContext,
): Promise<Result<null>> {
  const free = await checkOutputs(file, [out], force);
  if (!free.ok) return free;
  const done = await withTrace(file, { needsEntry: false, context }, async ({ app, traceId }) => {
    const diagnosis = await app.handlers['trace.diagnose']({ traceId }, context);
    if (!diagnosis.ok) return diagnosis;
    if (loopKindOf(diagnosis.value).serves) return fail('not-found', SERVES);
    const script = await app.handlers['report.benchmarkScript']({ traceId }, context);
    if (!script.ok) return script;
    const written = await writeText(out, script.value.text, force, context);
    if (!written.ok) return written;
    if (script.value.note !== undefined) console.error(`stalltrace: ${script.value.note}`);
    const { path, sizeBytes } = written.value;
    if (out !== '-') console.log(`${cleanText(path, 4096)} (${formatBytes(sizeBytes)})`);
    return ok(null);
  });
  return context.signal.aborted ? fail('cancelled', 'Cancelled.') : done;
}
