import type { EmitRemote } from './remote/connection/remote-options.ts';
import { remoteHandlers } from './remote/service.ts';
import { serveParent } from './rpc/parent-port.ts';
import { remoteProcessCalls } from './shared/contract/remote-process-calls.ts';

/** Entry of the process that speaks SSH: `remote-process.js FOLDER AGENTS_FOLDER`. */

const [folder, agentsFolder] = process.argv.slice(2);
if (folder === undefined || agentsFolder === undefined)
  throw new Error('the folders are missing from the arguments');

let emit: EmitRemote = () => undefined;
const handlers = remoteHandlers({ folder, agentsFolder }, (name, payload) => emit(name, payload));
emit = serveParent(remoteProcessCalls, handlers);
