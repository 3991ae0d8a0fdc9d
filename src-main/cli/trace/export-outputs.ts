import type { WrittenFile } from '../../shared/contract/archive-calls.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { writeText } from '../output/write-text.ts';
import type { ExportFocus } from './export-focus.ts';
import type { ExportOptions } from './export-options.ts';
import type { UsedTrace } from './with-trace.ts';

interface Output {
  readonly path: string;
  write(): Promise<Result<WrittenFile>>;
}

/** Writes every output that was asked for; all texts are made before the first is written. */
export async function writeOutputs(
  source: UsedTrace,
  focus: ExportFocus,
  options: ExportOptions,
  context: CallContext,
): Promise<Result<null>> {
  const outputs: Output[] = [];
  const { markdown, svg, stalltrace, perfetto, force } = options;
  for (const [path, make] of [
    [markdown, markdownOf],
    [svg, svgOf],
  ] as const) {
    if (path === undefined) continue;
    const made = await make(source, focus, options, context);
    if (!made.ok) return made;
    outputs.push({ path, write: () => writeText(path, made.value, force, context) });
  }
  if (stalltrace !== undefined) {
    outputs.push({
      path: stalltrace,
      write: () => writeArchive(source, stalltrace, force, context),
    });
  }
  if (perfetto !== undefined) {
    const request = { traceId: source.traceId, hidePrivate: !options.showPrivate };
    outputs.push({
      path: perfetto,
      write: () =>
        source.app.handlers['perfetto.write'](
          { ...request, path: perfetto, overwrite: force },
          context,
        ),
    });
  }
  const usesStdout = outputs.some(({ path }) => path === '-');
  for (const { path, write } of outputs) {
    if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
    const written = await write();
    if (!written.ok) return written;
    const line = `${cleanText(written.value.path, 4096)} (${formatBytes(written.value.sizeBytes)})`;
    // A list among the text that was asked for would be part of it.
    if (!usesStdout) console.log(line);
    else if (path !== '-') console.error(line);
  }
  return ok(null);
}

async function markdownOf(
  { app, traceId, investigation, view }: UsedTrace,
  { call, range }: ExportFocus,
  { notes, long, showPrivate }: ExportOptions,
  context: CallContext,
): Promise<Result<string>> {
  const request = {
    traceId,
    ...(investigation !== undefined && { investigation }),
    ...(call !== undefined && { call }),
    ...(range !== undefined && { range }),
    hidePrivate: !showPrivate,
    long,
    notes,
    ...(view?.traceml !== undefined && { traceml: view.traceml.summary }),
  };
  const report = await app.handlers['report.markdown'](request, context);
  return report.ok ? ok(report.value.text) : report;
}

async function svgOf(
  { app, traceId, investigation }: UsedTrace,
  { view }: ExportFocus,
  { notes, showPrivate, theme, widthPx }: ExportOptions,
  context: CallContext,
): Promise<Result<string>> {
  const request = {
    traceId,
    // It draws the notes of the investigation it is told.
    ...(investigation !== undefined && notes && { investigation }),
    view,
    widthPx,
    theme,
    hidePrivate: !showPrivate,
  };
  const picture = await app.handlers['report.picture'](request, context);
  return picture.ok ? ok(picture.value.svg) : picture;
}

async function writeArchive(
  { app, investigation: id }: UsedTrace,
  path: string,
  overwrite: boolean,
  context: CallContext,
): Promise<Result<WrittenFile>> {
  if (id === undefined) throw new Error('an archive is written of an entry of a library');
  return app.handlers['archive.write']({ id, path, overwrite }, context);
}
