import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** The page sends its first frame at once; from an opened socket to here is one way of the network. */
const HELLO_MS = 1_800;
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
  const late = setTimeout(() => socket.terminate(), HELLO_MS);
  const countBytes = () => {
    if (stream.bytesRead > HELLO_BYTES) socket.terminate();
  };
  stream.on('data', countBytes);
  socket.on('close', () => clearTimeout(late));
  socket.once('message', (data, isBinary) => {
    clearTimeout(late);
    if (takeFirst(isBinary ? '' : String(data))) {
      stream.off('data', countBytes);
      return;
    }
    const closing = setTimeout(() => socket.terminate(), CLOSING_MS);
    socket.on('close', () => clearTimeout(closing));
  });
}
