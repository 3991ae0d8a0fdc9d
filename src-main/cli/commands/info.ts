import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { dataFolder } from '../../app/services/data-folder.ts';
import { defineCommand } from '../command/command.ts';
import { printJson } from '../output/plain-output.ts';
import { reportFailure } from '../output/report-failure.ts';
import { contextUntil, createCliApp } from '../session/cli-app.ts';
import { onStopSignal } from '../terminal/stop-signals.ts';
import { infoJson } from '../texts/info-json.ts';
import { infoText } from '../texts/info-text.ts';
import type { TraceInfo } from '../texts/trace-info.ts';

export const info = defineCommand({
  name: 'info',
  synopsis: 'FILE [--json]',
  summary: 'what a trace file holds: machine, time range, provenance, operations',
  usage: `Usage: stalltrace info FILE [--json]

What a trace file holds: machine, time range, provenance of each table, statistics of each operation.

  --json   one JSON object, documented in docs/cli.md, instead of text`,
  options: { json: { type: 'boolean', default: false } },
  takesOperands: true,
  read({ values, operands: [file = '', ...more] }, startFolder) {
    if (file === '') return 'Name the trace file to look at.';
    if (more.length > 0) return 'Name one trace file only.';
    return { path: resolve(startFolder, file), json: values.json };
  },
  run: ({ path, json }) => describeFile(path, json),
});

async function describeFile(path: string, json: boolean): Promise<number> {
  const interrupted = new AbortController();
  onStopSignal(interrupted);
  const app = createCliApp(dataFolder());
  try {
    const context = contextUntil(interrupted.signal);
    const opened = await app.handlers['trace.openFile']({ path }, context);
    if (!opened.ok) return reportFailure(opened.error, json);
    const { traceId, summary } = opened.value;
    const operations = await app.handlers['trace.operations']({ traceId, bySize: false }, context);
    if (!operations.ok) return reportFailure(operations.error, json);
    const breakdowns = json
      ? await app.handlers['trace.processes']({ traceId, span: {} }, context)
      : undefined;
    if (breakdowns?.ok === false) return reportFailure(breakdowns.error, json);
    const sizeBytes = (await stat(path).catch(() => undefined))?.size ?? 0;
    const about = await app.handlers['app.about']({}, context);
    if (!about.ok) return reportFailure(about.error, json);
    const { nativeCode } = about.value;
    const result: TraceInfo = {
      path,
      sizeBytes,
      summary,
      operations: operations.value,
      ...(breakdowns !== undefined && { breakdowns: breakdowns.value }),
      nativeCode,
    };
    if (json) printJson(infoJson(result));
    else console.log(infoText(result));
    return 0;
  } finally {
    await app.close();
  }
}
