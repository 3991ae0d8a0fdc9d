import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** The page sends its first frame at once; from an opened socket to here is one way of the network. */
const HELLO_MS = 1_800;
/** For the answer to the upgrade to leave, behind what else a slow tunnel has to carry. */
const UPGRADE_MS = 10_000;
/** For the close frame to be answered. */
const CLOSING_MS = 1_000;
/** An upgrade request and the first frame together: that many of each unproved socket are held. */
const HELLO_BYTES = 32 << 10;

/**
 * Hands the first frame of `socket` to `takeFirst`, which says whether it was right and took the
 * socket over. One that sends none, or far too much, ends. How many wait is limited by `Connections`.
 */
export function awaitHello(
  socket: WebSocket,
  stream: Socket,
  takeFirst: (frame: string) => boolean,
): void {
  let isDone = false;
  // A loop that was busy runs timers before it reads: what has come by then counts.
  const end = () => setImmediate(() => isDone || socket.terminate());
  let late = setTimeout(end, UPGRADE_MS);
  const finish = () => {
    isDone = true;
    clearTimeout(late);
  };
  // Written once all before it is.
  stream.write('', () => {
    clearTimeout(late);
    if (!isDone) late = setTimeout(end, HELLO_MS);
  });
  const countBytes = () => {
    if (stream.bytesRead > HELLO_BYTES) socket.terminate();
  };
  stream.on('data', countBytes);
  socket.on('close', finish);
  socket.once('message', (data, isBinary) => {
    finish();
    if (takeFirst(isBinary ? '' : String(data))) {
      stream.off('data', countBytes);
      return;
    }
    const closing = setTimeout(() => socket.terminate(), CLOSING_MS);
    socket.on('close', () => clearTimeout(closing));
  });
}
