import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { fail, ok, type Result } from '../shared/rpc/result.ts';
import type { CallContext } from '../shared/rpc/rpc.ts';
import { cleanText } from '../shared/text/text.ts';
import { formatBytes } from '../shared/text/units.ts';
import { checkOutputs } from './check-outputs.ts';
import { contextUntil } from './cli-app.ts';
import { withSource } from './export-source.ts';
import { reportFailure } from './report-failure.ts';
import { onStopSignal } from './stop-signals.ts';
import { writeText } from './write-text.ts';
import { optionProblem, wrongUsage } from './wrong-usage.ts';

const USAGE = `Usage: stalltrace benchmark FILE --out SCRIPT.py [--force]

Writes a Python script that measures the loader of the recorded job with several settings, and the
loop without loading. Run it on the host of the job; open the JSON that it writes in the app.

  --out SCRIPT.py   where to write it; - writes it to stdout
  --force           replaces a file that exists`;

interface BenchmarkOptions {
  readonly file: string;
  readonly out: string;
  readonly force: boolean;
}

/** `stalltrace benchmark FILE --out SCRIPT.py`; the exit code. */
export async function benchmark(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseOptions(args, startFolder);
  if (typeof options === 'string') return wrongUsage('benchmark', options);
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  const stop = new AbortController();
  onStopSignal(stop);
  const done = await write(options, contextUntil(stop.signal));
  return done.ok ? 0 : reportFailure(done.error);
}

async function write(
  { file, out, force }: BenchmarkOptions,
  context: CallContext,
): Promise<Result<null>> {
  const free = await checkOutputs(file, [out], force);
  if (!free.ok) return free;
  const done = await withSource(file, { needsEntry: false, context }, async ({ app, traceId }) => {
    const script = await app.handlers['report.benchmarkScript']({ traceId }, context);
    if (!script.ok) return script;
    const written = await writeText(out, script.value.text, force, context);
    if (!written.ok) return written;
    const { path, sizeBytes } = written.value;
    if (out !== '-') console.log(`${cleanText(path, 4096)} (${formatBytes(sizeBytes)})`);
    return ok(null);
  });
  return context.signal.aborted ? fail('cancelled', 'Cancelled.') : done;
}

/** The options, undefined for help, or the sentence that says what is wrong with them. */
function parseOptions(
  args: readonly string[],
  startFolder: string,
): BenchmarkOptions | string | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        out: { type: 'string' },
        force: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { out = '', force, help } = values;
    if (help) return undefined;
    const [file = '', ...more] = positionals;
    if (file === '') return 'Name the trace file to make the script from.';
    if (more.length > 0) return 'Name one trace file only.';
    if (out === '') return 'Say where to write the script: --out SCRIPT.py, or --out - for stdout.';
    return {
      file: resolve(startFolder, file),
      out: out === '-' ? out : resolve(startFolder, out),
      force,
    };
  } catch (error) {
    return optionProblem(error);
  }
}
