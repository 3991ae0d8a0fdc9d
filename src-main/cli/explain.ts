import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Failure, ok, type Result } from '../shared/rpc/result.ts';
import type { CallContext } from '../shared/rpc/rpc.ts';
import { contextUntil } from './cli-app.ts';
import { explainCallJson, explainTraceJson } from './explain-json.ts';
import { explainCallText, explainTraceText } from './explain-text.ts';
import { type ExportSource, withSource } from './export-source.ts';
import { type CallName, findCall } from './find-call.ts';
import { printJson } from './plain-output.ts';
import { reportFailure } from './report-failure.ts';
import { onStopSignal } from './stop-signals.ts';
import { optionProblem, wrongUsage } from './wrong-usage.ts';

const USAGE = `Usage: stalltrace explain FILE [--slowest OP | --call ROW] [--json]

Why the GPU waited: the verdict, the findings with their fixes, ranked by what they cost, and what
the trace cannot tell. With a call: where that call's time went, who had the CPU, the wait chain.

  --slowest OP   the slowest call of an operation, such as cudaMemcpyAsync
  --call ROW     this row of cuda_call
  --json         one JSON object, documented in docs/cli.md, instead of text`;

interface ExplainOptions extends CallName {
  readonly file: string;
  readonly json: boolean;
}

/** `stalltrace explain FILE …`; the exit code. */
export async function explain(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseOptions(args);
  if (typeof options === 'string') return wrongUsage('explain', options);
  if (options === undefined) {
    console.log(USAGE);
    return 0;
  }
  const interrupted = new AbortController();
  onStopSignal(interrupted);
  const context = contextUntil(interrupted.signal);
  const named = resolve(startFolder, options.file);
  const path = await realpath(named).catch(() => named);
  const done = await withSource(path, { needsEntry: false, context }, (source) =>
    print(source, options, context),
  );
  return done.ok ? 0 : report(done.error, options.json);
}

async function print(
  { app, traceId, summary }: ExportSource,
  options: ExplainOptions,
  context: CallContext,
): Promise<Result<null>> {
  const call = await findCall(app, traceId, options, context);
  if (!call.ok) return call;
  if (call.value === undefined) {
    const diagnosis = await app.handlers['trace.diagnose']({ traceId }, context);
    if (!diagnosis.ok) return diagnosis;
    const { value } = diagnosis;
    if (options.json) printJson(explainTraceJson(value));
    else console.log(explainTraceText(value, summary.notices));
    return ok(null);
  }
  const asked = { traceId, call: call.value, fixes: true };
  const explained = await app.handlers['trace.explain'](asked, context);
  if (!explained.ok) return explained;
  const { value } = explained;
  if (options.json) printJson(explainCallJson(value));
  else console.log(explainCallText(value));
  return ok(null);
}

/** The options, undefined for help, or the sentence that says what is wrong with them. */
function parseOptions(args: readonly string[]): ExplainOptions | string | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        slowest: { type: 'string' },
        call: { type: 'string' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const { slowest, call, json, help } = values;
    if (help) return undefined;
    const [file = '', ...more] = positionals;
    if (file === '') return 'Name the trace file to explain.';
    if (more.length > 0) return 'Name one trace file only.';
    if (call !== undefined && !/^\d{1,10}$/.test(call)) return `--call ${call} is no row number.`;
    if (call !== undefined && slowest !== undefined) return 'Give --call or --slowest, not both.';
    return {
      file,
      json,
      ...(slowest !== undefined && { slowest }),
      ...(call !== undefined && { call: Number(call) }),
    };
  } catch (error) {
    return optionProblem(error);
  }
}

/** A person reads the sentence on stderr; a script that asked for JSON gets the code on stdout too. */
function report(error: Failure, json: boolean): number {
  if (json) printJson({ error });
  return reportFailure(error);
}
