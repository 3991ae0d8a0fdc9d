import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Client } from 'ssh2';
import type { HostKey } from '../../shared/remote/questions.ts';
import { cleanText } from '../../shared/text/text.ts';
import { watchSignsOfLife } from './signs-of-life.ts';

/** How long a goodbye may take. */
const FAREWELL_MS = 1000;

/** A connection to one host of a chain, verified and signed in. */
export interface Ssh2Hop {
  readonly client: Client;
  /** `user@address:port`. */
  readonly address: string;
  readonly hostKey: HostKey;
  readonly signedInWith: string;
  /** Of the server: `SSH-2.0-OpenSSH_9.2p1`. */
  readonly software: string;
  /** Why it is over, once it is. */
  readonly ended: Promise<string>;
  close(): void;
}

/** Watches over a connection from the moment it is signed in. */
export function keepHop(
  { client, socket, keepAliveMs }: { client: Client; socket: Duplex; keepAliveMs: number },
  facts: Pick<Ssh2Hop, 'address' | 'hostKey' | 'signedInWith' | 'software'>,
): Ssh2Hop {
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  const { address } = facts;
  let farewell: NodeJS.Timeout | undefined;
  let why = `${address} closed the connection.`;
  const stopWatching = watchSignsOfLife(bytesReadOf(socket), keepAliveMs, () => {
    over(`No sign of life from ${address} for ${(3 * keepAliveMs) / 1000} s.`);
    destroy(socket);
  });
  function over(reason: string): void {
    stopWatching();
    resolve(reason);
  }
  client.on('error', (error) => {
    why = reasonOf(address, error);
  });
  client.on('close', () => {
    clearTimeout(farewell);
    over(why);
  });
  function close(): void {
    over('Closed.');
    try {
      client.end();
    } catch {
      // It is over already.
    }
    farewell ??= setTimeout(() => destroy(socket), FAREWELL_MS);
  }
  return { ...facts, client, ended, close };
}

function bytesReadOf(socket: Duplex): () => number {
  if (socket instanceof Socket) return () => socket.bytesRead;
  let bytes = 0;
  socket.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return () => bytes;
}

function reasonOf(address: string, error: Error & { code?: unknown }): string {
  // The same end, as it is met: by reading, or by writing first.
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE')
    return `The connection to ${address} was reset.`;
  // A number is the reason of a DISCONNECT, whose words are the host's.
  if (typeof error.code === 'number')
    return `${address} ended the connection: “${cleanText(error.message, 200)}”.`;
  return `The connection to ${address} broke: ${cleanText(error.message, 200)}.`;
}

/** A hop's socket may be a channel of the hop before, which can be over already. */
export function destroy(socket: Duplex): void {
  try {
    socket.destroy();
  } catch {
    // What it went over is gone, and it with that.
  }
}
