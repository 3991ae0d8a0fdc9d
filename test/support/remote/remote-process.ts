import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { connectChild } from '../../../src-main/rpc/child.ts';
import type {
  RemoteProcessCalls,
  RemoteProcessEvents,
} from '../../../src-main/shared/contract/remote-process-calls.ts';
import type { RemoteAnswer, RemoteQuestion } from '../../../src-main/shared/remote/questions.ts';
import type { Run } from '../../../src-main/shared/remote/run.ts';
import type { RpcClient } from '../../../src-main/shared/rpc/rpc.ts';
import { root } from '../built.ts';

/** The process that speaks SSH, as a host starts it, and a person before it. */
export interface RemoteProcess {
  readonly child: ChildProcess;
  readonly call: RpcClient<RemoteProcessCalls>['call'];
  readonly questions: RemoteQuestion[];
  readonly links: RemoteProcessEvents['link'][];
  /** All that was told of runs, oldest first. */
  readonly runs: Run[];
  /** The last that was told of a run. */
  lastOf(id: string): Run | undefined;
  /** What it wrote to its standard error: bugs. */
  log(): string;
  kill(): Promise<void>;
}

export interface RemoteProcessOptions {
  /** Holds the app's data and the home of the person: no configuration of this machine's user. */
  readonly folder: string;
  readonly answer: (question: RemoteQuestion) => RemoteAnswer;
}

/** From its source, so that no build is tested by mistake. */
export function startRemoteProcess({ folder, answer }: RemoteProcessOptions): RemoteProcess {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const { SSH_AUTH_SOCK: _agent, ...env } = process.env;
  const child = fork(
    join(root, 'src-main/remote-process.ts'),
    [join(folder, 'remote'), join(root, 'out/agent')],
    {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      serialization: 'advanced',
      env: { ...env, HOME: home },
      execArgv: [],
    },
  );
  const exited = once(child, 'exit');
  let log = '';
  child.stderr?.on('data', (data) => (log += String(data)));
  const { client } = connectChild<RemoteProcessCalls>({
    // Of one that was killed just now its end tells.
    post: (message) => void (child.connected && child.send(message as object, () => undefined)),
    onMessage: (listener) => void child.on('message', listener),
    onExit: (listener) => void child.on('exit', () => listener('The process ended.')),
    kill: () => void child.kill('SIGKILL'),
  });
  const questions: RemoteQuestion[] = [];
  const links: RemoteProcessEvents['link'][] = [];
  const runs: Run[] = [];
  client.on('question', (payload) => {
    const question = payload as RemoteQuestion;
    questions.push(question);
    void client.call('answer', { question: question.id, answer: answer(question) });
  });
  client.on('link', (payload) => links.push(payload as RemoteProcessEvents['link']));
  client.on('run', (payload) => runs.push(payload as Run));
  return {
    child,
    call: client.call,
    questions,
    links,
    runs,
    lastOf: (id) => runs.findLast((run) => run.id === id),
    log: () => log,
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Trusts every host, and gives this password to everybody who asks. */
export function trusting(password = ''): (question: RemoteQuestion) => RemoteAnswer {
  return ({ kind }) => {
    if (kind === 'host-key') return { kind: 'trust', once: false };
    if (kind === 'password' || kind === 'sudo-password')
      return { kind: 'texts', texts: [password], remember: false };
    return { kind: 'cancel' };
  };
}

export function newConnection(): string {
  return randomUUID();
}
