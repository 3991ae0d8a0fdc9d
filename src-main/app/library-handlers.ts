import type { CallError } from '../shared/contract.ts';
import type { AddedInvestigation } from '../shared/investigation.ts';
import { fail, ok, type Result } from '../shared/result.ts';
import type { CallContext } from '../shared/rpc.ts';
import { allowedPath } from './allowed-path.ts';
import { catalogueEntryOf } from './catalogue-entry.ts';
import { listSample } from './list-sample.ts';
import type { AreaHandlers, Services } from './services.ts';

export function libraryHandlers(
  services: Services,
): Omit<AreaHandlers<'library'>, 'library.locate'> {
  const { library, platform, emit } = services;
  let sampleListed: Promise<boolean> | undefined;
  /** Tells everybody who shows the list, where it has changed. */
  function told<T, Code extends string>(result: Result<T, Code>): Result<T, Code> {
    if (result.ok) emit('library.changed', null);
    return result;
  }
  return {
    async 'library.list'({ search }) {
      sampleListed ??= listSample(services);
      // A library that could not be used is looked at again: the user may have mended it.
      if (!(await sampleListed)) sampleListed = undefined;
      return library.call('list', search === undefined ? {} : { search });
    },
    'library.add': ({ path }, context) => addFile(services, path, context),
    async 'library.choose'(_args, context) {
      if (platform.chooseFile === undefined) return noDialog();
      const path = await platform.chooseFile();
      return path === null ? ok(null) : addFile(services, path, context);
    },
    async 'library.choosePath'() {
      return platform.chooseFile === undefined ? noDialog() : ok(await platform.chooseFile());
    },
    'library.change': async (change) => told(await library.call('change', change)),
    'library.remove': async (removal) => told(await library.call('remove', removal)),
    'library.restore': async ({ id }) => told(await library.call('restore', { id })),
    'library.saveView': ({ id, view }) => library.call('saveView', { id, view }),
  };
}

/** Opens the file to prove that it is a trace, lists it, and keeps it open for the call that follows. */
async function addFile(
  services: Services,
  path: string,
  context: CallContext,
): Promise<Result<AddedInvestigation, CallError<'library.add'>>> {
  const { library, platform, traces, emit } = services;
  const allowed = await allowedPath(platform, path);
  if (!allowed.ok) return allowed;
  const absolute = allowed.value;
  const opened = (await traces.takeIdle(absolute)) ?? (await traces.open(absolute, context));
  if (!opened.ok) return opened;
  const { id: traceId, summary } = opened.value;
  const entry = await catalogueEntryOf(absolute, summary, {
    sample: false,
    storage: 'referenced',
  });
  if (context.signal.aborted) {
    traces.close(traceId);
    return fail('cancelled', 'Cancelled.');
  }
  const added = await library.call('put', { entry, opened: false });
  if (added.ok) emit('library.changed', null);
  if (added.ok && !context.signal.aborted) traces.keepWarm(traceId);
  else traces.close(traceId);
  return added.ok ? ok({ investigation: added.value, wasKnown: false, notesAdded: 0 }) : added;
}

function noDialog(): Result<never, 'no-dialog'> {
  return fail('no-dialog', 'This host has no file dialog: drop the file on the window.');
}
