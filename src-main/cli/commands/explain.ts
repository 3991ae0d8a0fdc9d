import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { defineCommand } from '../command/command.ts';
import { printJson } from '../output/plain-output.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { explainCallJson, explainTraceJson } from '../texts/explain-json.ts';
import { explainCallText, explainTraceText } from '../texts/explain-text.ts';
import { type CallName, findCall } from '../trace/find-call.ts';
import { type UsedTrace, withTrace } from '../trace/with-trace.ts';

interface ExplainOptions extends CallName {
  /** Absolute. */
  readonly file: string;
  readonly json: boolean;
  /** Lists are printed whole. */
  readonly all: boolean;
}

export const explain = defineCommand({
  name: 'explain',
  synopsis: 'FILE [--slowest OP] [--json]',
  summary: "why the GPU waited: findings and fixes, or one call's time",
  usage: `Usage: stalltrace explain FILE [--slowest OP | --call ROW] [--all] [--json]

Why the GPU waited: the verdict, the findings with their fixes, ranked by what they cost, and what
the trace cannot tell. With a call: where that call's time went, who had the CPU, the wait chain.

  --slowest OP   the slowest call of an operation, such as cudaMemcpyAsync
  --call ROW     this row of cuda_call
  --all          every segment of a long wait chain, not only the longest
  --json         one JSON object, documented in docs/cli.md, instead of text`,
  options: {
    slowest: { type: 'string' },
    call: { type: 'string' },
    all: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
  takesOperands: true,
  read({ values, operands: [file = '', ...more] }, startFolder): ExplainOptions | string {
    const { slowest, call, json, all } = values;
    if (file === '') return 'Name the trace file to explain.';
    if (more.length > 0) return 'Name one trace file only.';
    if (call !== undefined && !/^\d{1,10}$/.test(call))
      return `--call ${call} is not a row number.`;
    if (call !== undefined && slowest !== undefined) return 'Give --call or --slowest, not both.';
    return {
      file: resolve(startFolder, file),
      json,
      all,
      ...(slowest !== undefined && { slowest }),
      ...(call !== undefined && { call: Number(call) }),
    };
  },
  async run(options) {
    const interrupted = new AbortController();
    onStopSignal(interrupted);
    const context = contextUntil(interrupted.signal);
    const path = await realpath(options.file).catch(() => options.file);
    const done = await withTrace(path, { needsEntry: false, context }, (trace) =>
      print(trace, options, context),
    );
    return done.ok ? 0 : reportFailure(done.error, options.json);
  },
});

async function print(
  { app, traceId, summary }: UsedTrace,
  options: ExplainOptions,
  context: CallContext,
): Promise<Result<null>> {
  const call = await findCall(app, traceId, options, context);
  if (!call.ok) return call;
  if (call.value === undefined) {
    const diagnosis = await app.handlers['trace.diagnose']({ traceId }, context);
    if (!diagnosis.ok) return diagnosis;
    const { value } = diagnosis;
    if (options.json) printJson(explainTraceJson(value, summary));
    else console.log(explainTraceText(value, summary));
    return ok(null);
  }
  const asked = { traceId, call: call.value, fixes: true };
  const explained = await app.handlers['trace.explain'](asked, context);
  if (!explained.ok) return explained;
  const { value } = explained;
  if (options.json) printJson(explainCallJson(value, summary));
  else console.log(explainCallText(value, summary, options.all));
  return ok(null);
}
