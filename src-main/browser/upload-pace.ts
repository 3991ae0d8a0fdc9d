import type { IncomingMessage } from 'node:http';

/** The least that has to arrive in any window of time. */
export interface Pace {
  readonly bytes: number;
  readonly windowMs: number;
}

/**
 * Ends a request whose sender is slower than `pace`, so that nobody keeps a place by a byte now and
 * then. A host that is slow to take what is here is not the sender's fault. Returns how to stop.
 */
export function keepPace(request: IncomingMessage, { bytes, windowMs }: Pace): () => void {
  const { socket } = request;
  let before = socket.bytesRead;
  let stopped = false;
  const look = () => {
    const isSlow = socket.bytesRead - before < bytes && request.readableLength === 0;
    before = socket.bytesRead;
    if (isSlow && !stopped) request.destroy();
  };
  // After a stall of this process timers run first: what came meanwhile is read before anyone is judged.
  const timer = setInterval(() => setImmediate(look), windowMs);
  const stop = () => {
    stopped = true;
    clearInterval(timer);
  };
  request.on('close', stop);
  return stop;
}
