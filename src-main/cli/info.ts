import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from '../app/app.ts';
import { dataFolder } from '../app/data-folder.ts';
import { launchNodeProcess } from '../node-launcher.ts';
import type { OperationStats } from '../shared/operations.ts';
import type { Failure } from '../shared/result.ts';
import type { TraceSummary } from '../shared/summary.ts';
import { EXIT_FAILURE, EXIT_INTERRUPTED, EXIT_USAGE } from './exit-codes.ts';
import { infoJson } from './info-json.ts';
import { infoText } from './info-text.ts';

/** What `info` prints, before it is made JSON or text. */
export interface TraceInfo {
  readonly path: string;
  readonly sizeBytes: number;
  readonly summary: TraceSummary;
  readonly operations: readonly OperationStats[];
}

/** `stalltrace info FILE [--json]`; the exit code. */
export async function info(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseOptions(args);
  if (typeof options === 'string') {
    console.error(`${options}\nUsage: stalltrace info FILE [--json]`);
    return EXIT_USAGE;
  }
  const path = resolve(startFolder, options.file);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const app = createApp(
    { kind: 'cli', launch: launchNodeProcess, mayOpen: () => true },
    { dataFolder: dataFolder() },
  );
  try {
    const { signal } = interrupted;
    const context = { signal, session: signal, progress: () => undefined };
    const opened = await app.handlers['trace.openFile']({ path }, context);
    if (!opened.ok) return report(opened.error, options.json);
    const { traceId, summary } = opened.value;
    const operations = await app.handlers['trace.operations']({ traceId, bySize: false }, context);
    if (!operations.ok) return report(operations.error, options.json);
    const sizeBytes = (await stat(path).catch(() => undefined))?.size ?? 0;
    const result: TraceInfo = { path, sizeBytes, summary, operations: operations.value };
    console.log(options.json ? JSON.stringify(infoJson(result), null, 2) : infoText(result));
    return 0;
  } finally {
    await app.close();
  }
}

function parseOptions(args: readonly string[]): { file: string; json: boolean } | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [file, ...more] = positionals;
    if (file === undefined) return 'Name the trace file to look at.';
    return more.length > 0 ? 'Name one trace file only.' : { file, json: values.json };
  } catch (error) {
    return (error as Error).message;
  }
}

/** A person reads the sentence on stderr; a script that asked for JSON gets the code on stdout too. */
function report(error: Failure, json: boolean): number {
  if (json) console.log(JSON.stringify({ error }, null, 2));
  console.error(`stalltrace: ${error.message}`);
  return error.code === 'cancelled' ? EXIT_INTERRUPTED : EXIT_FAILURE;
}
