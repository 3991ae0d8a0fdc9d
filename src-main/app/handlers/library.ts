import type { CallError } from '../../contract/contract.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import { realPath } from '../../system/real-path.ts';
import {
  compareAll,
  compareFlames,
  compareInvestigations,
} from '../entries/compare-investigations.ts';
import { addFile } from '../intake/add-file.ts';
import { findFile } from '../intake/find-file.ts';
import { listSample } from '../intake/list-sample.ts';
import { locateFile } from '../intake/locate-file.ts';
import { mergeIntoLibrary } from '../intake/merge-into-library.ts';
import { sayTakenFrom, typedPath } from '../paths/typed-path.ts';
import type { AreaHandlers, Services } from '../services/services.ts';

export function libraryHandlers(services: Services): AreaHandlers<'library'> {
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
    async 'library.add'({ path, copy }, context) {
      const typed = typedPath(platform, path);
      return sayTakenFrom(await addFile(services, { path: typed.path, copy }, context), typed);
    },
    'library.findFile': ({ path }, context) => findFile(services, path, context),
    async 'library.choosePath'() {
      return platform.chooseFile === undefined ? noDialog() : ok(await platform.chooseFile());
    },
    async 'library.locate'(place, context) {
      const typed = typedPath(platform, place.path);
      const located = await locateFile(services, { ...place, path: typed.path }, context);
      return sayTakenFrom(located, typed);
    },
    'library.compare': ({ first, second }, context) =>
      compareInvestigations(services, first, second, context),
    'library.compareFlames': ({ first, second, weight }, context) =>
      compareFlames(services, [first, second], weight, context),
    'library.compareSeries': ({ ids }, context) => compareAll(services, ids, context),
    'library.merge': (args, context) => mergeIntoLibrary(services, args, context),
    'library.change': async (change) => told(await library.call('change', change)),
    'library.remove': async (removal) => told(await remove(services, removal)),
    'library.restore': async ({ id }) => told(await library.call('restore', { id })),
    'library.health': () => library.call('health', {}),
    async 'library.restoreBackup'({ name }) {
      const restored = told(await library.call('restoreBackup', { name }));
      const settings = await library.call('settings', {});
      if (restored.ok && settings.ok) emit('settings.changed', settings.value);
      // What came since the backup may have been the sample, too.
      if (restored.ok) sampleListed = undefined;
      return restored;
    },
    'library.saveView': ({ id, view }) => library.call('saveView', { id, view }),
  };
}

/** Takes an entry off the list; its file follows when that can no longer be undone. */
async function remove(
  { library, platform, files, removals }: Services,
  removal: { readonly id: number; readonly trashFile: boolean },
): Promise<Result<null, CallError<'library.remove'>>> {
  const found = await library.call('find', { id: removal.id });
  if (!found.ok) return found;
  const { path, storage } = found.value;
  if (removal.trashFile && storage === 'referenced') {
    if (platform.trash === undefined) return noTrash(`This host has no trash to move ${path} to`);
    if (!platform.mayOpen(await realPath(path)))
      return noTrash(`${path} is outside the folders that Stalltrace may use here`);
  }
  const removed = await library.call('remove', removal);
  if (!removed.ok) return removed;
  if (storage === 'copied') await files.spare(path);
  removals.schedule();
  return removed;
}

function noTrash(why: string): Result<never, 'no-trash'> {
  return fail('no-trash', `${why}: remove the entry without its file, and delete that yourself.`);
}

function noDialog(): Result<never, 'no-dialog'> {
  return fail('no-dialog', 'This host has no file dialog: drop the file on the window.');
}
