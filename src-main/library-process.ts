import { type Catalogue, openCatalogue } from './library/catalogue.ts';
import { serveParent } from './rpc/parent-port.ts';
import { libraryProcessCalls } from './shared/process-contract.ts';
import type { Result } from './shared/result.ts';

/** Entry of the process that owns the catalogue: `library-process.js DATA_FOLDER`. */

const dataFolder = process.argv[2];
if (dataFolder === undefined) throw new Error('the data folder is missing from the arguments');
const folder: string = dataFolder;

let opened = openCatalogue(folder);

/** One that could not be opened is tried again at each call, since the user may have mended it. */
function withCatalogue<T, Code extends string>(
  action: (catalogue: Catalogue) => Result<T, Code>,
): Promise<Result<T, Code | 'library-unavailable'>> {
  if (!opened.ok) opened = openCatalogue(folder);
  return Promise.resolve(opened.ok ? action(opened.value) : opened);
}

serveParent(libraryProcessCalls, {
  list: () => withCatalogue((catalogue) => catalogue.list()),
  find: ({ id }) => withCatalogue((catalogue) => catalogue.find(id)),
  put: ({ entry, opened: wasOpened }) =>
    withCatalogue((catalogue) => catalogue.put(entry, wasOpened)),
  remove: ({ id }) => withCatalogue((catalogue) => catalogue.remove(id)),
});
