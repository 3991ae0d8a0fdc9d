import { plainName } from '../../archive/entry-name.ts';
import type { CallArguments, CallError } from '../../contract/contract.ts';
import type { WrittenFile } from '../../shared/contract/archive-calls.ts';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { formatBytes } from '../../shared/text/units.ts';
import { writeStream } from '../opening/write-stream.ts';
import { checkSaving, refuseTrace, saveWhereChosen } from '../paths/save-target.ts';
import type { AreaHandlers, Services } from '../services/services.ts';
import { cancelled } from '../traces/unless-aborted.ts';

const LOST =
  'The process of this trace ended before its timeline was written: open it again, then save it again.';

export function perfettoHandlers(services: Services): AreaHandlers<'perfetto'> {
  const { platform, traces } = services;
  return {
    async 'perfetto.save'({ name, ...wish }, context) {
      const open = traces.find(wish.traceId);
      if (!open.ok) return open;
      return saveWhereChosen(platform, plainName(name), (path) =>
        writeTo(services, { ...wish, path, overwrite: true }, context),
      );
    },
    'perfetto.write': (wish, context) => writeTo(services, wish, context),
  };
}

async function writeTo(
  { platform, traces }: Services,
  { traceId, hidePrivate, path, overwrite }: CallArguments<'perfetto.write'>,
  { signal, progress }: CallContext,
): Promise<Result<WrittenFile, CallError<'perfetto.write'>>> {
  const target = await checkSaving(platform, path, overwrite);
  if (!target.ok) return target;
  const trace = traces.find(traceId);
  if (!trace.ok) return trace;
  const refused = await refuseTrace(target.value, trace.value.path);
  if (refused !== undefined) return refused;
  const opened = await traces.openPerfetto(traceId, { hidePrivate }, signal);
  if (signal.aborted) return cancelled();
  if (!opened.ok) return opened;
  return writeStream({
    ...{ stream: opened.value, target: target.value, overwrite, signal },
    failureOf() {
      const open = traces.find(traceId);
      return open.ok ? fail('process-lost', LOST) : open;
    },
    onWritten: (bytes) => progress({ text: `Written: ${formatBytes(bytes)}` }),
  });
}
