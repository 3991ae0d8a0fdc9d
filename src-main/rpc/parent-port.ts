import type { ParentPort } from '../shared/platform.ts';
import type { CallTable, Handlers } from '../shared/rpc/rpc.ts';
import { createRouter } from './router.ts';

interface ElectronParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: unknown }) => void): void;
}

/** The port to the host that started this process; throws where nobody did. */
function openParentPort(): ParentPort {
  const electron = (process as { parentPort?: ElectronParentPort }).parentPort;
  if (electron !== undefined) {
    return {
      post: (message) => electron.postMessage(message),
      onMessage: (listener) => electron.on('message', (event) => listener(event.data)),
    };
  }
  if (process.send === undefined)
    throw new Error('this file is started by Stalltrace, not by hand');
  // Ctrl+C at a terminal goes to all that it started. What it ends is the host's to decide, which ends
  // this process with SIGKILL; a host that dies is noticed below and in serveParent.
  process.on('SIGINT', () => undefined);
  const parent = process.ppid;
  return {
    post(message) {
      // A host that was killed during an import is noticed here: an import that blocks never gets
      // to the 'disconnect' below.
      if (process.ppid !== parent) process.exit(0);
      process.send?.(message);
    },
    onMessage: (listener) => process.on('message', listener),
  };
}

/** Serves `table` to the process that started this one, and ends with it; returns how to tell it something unasked. */
export function serveParent<Table extends CallTable>(
  table: Table,
  handlers: Handlers<Table>,
): (event: string, payload: unknown) => void {
  const port = openParentPort();
  const router = createRouter(table, handlers, (call, bug) =>
    console.error(`bug in ${call}:`, bug),
  );
  const session = router.connect((frame) => port.post(frame));
  port.onMessage((message) => session.receive(message));
  // A host that died can't ask for anything more: an orphan would hold the file for ever.
  process.on('disconnect', () => process.exit(0));
  return (name, payload) => port.post({ kind: 'event', name, payload });
}
