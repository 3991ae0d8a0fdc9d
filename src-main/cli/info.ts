import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { dataFolder } from '../app/services/data-folder.ts';
import type { Failure } from '../shared/rpc/result.ts';
import { contextUntil, createCliApp } from './cli-app.ts';
import { infoJson } from './info-json.ts';
import { infoText } from './info-text.ts';
import { printJson } from './plain-output.ts';
import { reportFailure } from './report-failure.ts';
import { onStopSignal } from './stop-signals.ts';
import type { TraceInfo } from './trace-info.ts';
import { optionProblem, wrongUsage } from './wrong-usage.ts';

const USAGE = `Usage: stalltrace info FILE [--json]

What a trace file holds: machine, time range, provenance of each table, statistics of each operation.

  --json   one JSON object, documented in docs/cli.md, instead of text`;

/** `stalltrace info FILE [--json]`; the exit code. */
export async function info(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseOptions(args);
  if (typeof options === 'string') return wrongUsage('info', options);
  if (options.help) {
    console.log(USAGE);
    return 0;
  }
  return describeFile(resolve(startFolder, options.file), options.json);
}

async function describeFile(path: string, json: boolean): Promise<number> {
  const interrupted = new AbortController();
  onStopSignal(interrupted);
  const app = createCliApp(dataFolder());
  try {
    const context = contextUntil(interrupted.signal);
    const opened = await app.handlers['trace.openFile']({ path }, context);
    if (!opened.ok) return report(opened.error, json);
    const { traceId, summary } = opened.value;
    const operations = await app.handlers['trace.operations']({ traceId, bySize: false }, context);
    if (!operations.ok) return report(operations.error, json);
    const sizeBytes = (await stat(path).catch(() => undefined))?.size ?? 0;
    const result: TraceInfo = { path, sizeBytes, summary, operations: operations.value };
    if (json) printJson(infoJson(result));
    else console.log(infoText(result));
    return 0;
  } finally {
    await app.close();
  }
}

interface InfoOptions {
  readonly file: string;
  readonly json: boolean;
  readonly help: boolean;
}

function parseOptions(args: readonly string[]): InfoOptions | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const [file = '', ...more] = positionals;
    if (file === '' && !values.help) return 'Name the trace file to look at.';
    return more.length > 0 ? 'Name one trace file only.' : { file, ...values };
  } catch (error) {
    return optionProblem(error);
  }
}

/** A person reads the sentence on stderr; a script that asked for JSON gets the code on stdout too. */
function report(error: Failure, json: boolean): number {
  if (json) printJson({ error });
  return reportFailure(error);
}
