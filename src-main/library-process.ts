import { libraryHandlers } from './library/handlers.ts';
import { openLibrary } from './library/library.ts';
import { serveParent } from './rpc/parent-port.ts';
import { libraryProcessCalls } from './shared/contract/library-process-calls.ts';

/** Entry of the process that owns the catalogue: `library-process.js DATA_FOLDER`. */

const dataFolder = process.argv[2];
if (dataFolder === undefined) throw new Error('the data folder is missing from the arguments');

const library = openLibrary(dataFolder);
process.on('exit', () => library.close());
serveParent(libraryProcessCalls, libraryHandlers(library));
