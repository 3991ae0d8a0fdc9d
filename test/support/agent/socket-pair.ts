import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { scratchFolder } from './agent.ts';

interface SocketPair {
  /** For a process as its standard input, as sshd hands it out. */
  readonly given: Socket;
  /** The other end: `end` of it says that nothing more is written, and leaves it open. */
  readonly kept: Socket;
}

export async function socketPair(): Promise<SocketPair> {
  const path = join(scratchFolder(), 'socket');
  const server = createServer({ allowHalfOpen: true }).listen(path);
  const accepted = once(server, 'connection');
  const given = connect(path);
  const [kept] = (await accepted) as [Socket];
  if (given.connecting) await once(given, 'connect');
  onTestFinished(() => {
    given.destroy();
    kept.destroy();
    server.close();
  });
  return { given, kept };
}
