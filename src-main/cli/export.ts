import { resolve } from 'node:path';
import { fail, type Result } from '../shared/rpc/result.ts';
import type { CallContext } from '../shared/rpc/rpc.ts';
import { checkOutputs } from './check-outputs.ts';
import { contextUntil } from './cli-app.ts';
import { findFocus } from './export-focus.ts';
import { EXPORT_USAGE, type ExportOptions, parseExportOptions } from './export-options.ts';
import { writeOutputs } from './export-outputs.ts';
import { withSource } from './export-source.ts';
import { reportFailure } from './report-failure.ts';
import { onStopSignal } from './stop-signals.ts';
import { wrongUsage } from './wrong-usage.ts';

/** `stalltrace export FILE …`; the exit code. */
export async function exportFile(args: readonly string[], startFolder: string): Promise<number> {
  const options = parseExportOptions(args);
  if (options === 'help') {
    console.log(EXPORT_USAGE);
    return 0;
  }
  if ('wrong' in options) return wrongUsage('export', options.wrong);
  const stop = new AbortController();
  onStopSignal(stop);
  const done = await exportTo(absolute(options, startFolder), contextUntil(stop.signal));
  return done.ok ? 0 : reportFailure(done.error);
}

/** The options with paths from where the user stands. */
function absolute(options: ExportOptions, startFolder: string): ExportOptions {
  const { markdown, svg, stalltrace } = options;
  const pathOf = (output: string) => (output === '-' ? output : resolve(startFolder, output));
  return {
    ...options,
    file: resolve(startFolder, options.file),
    ...(markdown !== undefined && { markdown: pathOf(markdown) }),
    ...(svg !== undefined && { svg: pathOf(svg) }),
    ...(stalltrace !== undefined && { stalltrace: pathOf(stalltrace) }),
  };
}

async function exportTo(options: ExportOptions, context: CallContext): Promise<Result<null>> {
  const { file, markdown, svg, stalltrace, force } = options;
  const free = await checkOutputs(file, [markdown, svg, stalltrace], force);
  if (!free.ok) return free;
  const needsEntry = options.stalltrace !== undefined;
  const done = await withSource(options.file, { needsEntry, context }, async (source) => {
    const focus = await findFocus(source, options, context);
    return focus.ok ? writeOutputs(source, focus.value, options, context) : focus;
  });
  return context.signal.aborted ? fail('cancelled', 'Cancelled.') : done;
}
