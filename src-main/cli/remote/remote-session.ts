import { randomUUID } from 'node:crypto';
import type { App } from '../../app/app.ts';
import { dataFolder } from '../../app/services/data-folder.ts';
import { agentStatusFile } from '../../hosts/resources.ts';
import type { ConnectedHost } from '../../shared/remote/connection.ts';
import type { HostTarget } from '../../shared/remote/host-target.ts';
import type { RemoteQuestion } from '../../shared/remote/questions.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, Progress } from '../../shared/rpc/rpc.ts';
import { cleanText } from '../../shared/text/text.ts';
import type { HostOptions } from '../arguments/host-options.ts';
import type { Speaker } from '../output/speaker.ts';
import { contextUntil, createCliApp } from '../session/cli-app.ts';
import type { Interrupts } from '../terminal/interrupts.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { answerQuestion } from './answer-question.ts';
import { targetOf } from './target-of.ts';

/** What a command that uses hosts works with. */
export interface RemoteSession {
  readonly app: App;
  readonly context: CallContext;
  readonly interrupts: Interrupts;
  readonly speaker: Speaker;
  readonly terminal: Terminal | undefined;
  /** Of the hosts that were signed in to. */
  readonly connections: string[];
}

export interface HostSession extends RemoteSession {
  readonly connection: string;
  readonly host: ConnectedHost;
}

/** The app for `use`, with what it started ended afterwards. Captures on hosts go on. */
export async function withRemote(
  { interrupts, speaker }: Pick<RemoteSession, 'interrupts' | 'speaker'>,
  use: (session: RemoteSession) => Promise<number>,
): Promise<number> {
  const app = createCliApp(dataFolder(), agentStatusFile);
  const terminal = openTerminal();
  const connections: string[] = [];
  try {
    const progress = ({ text }: Progress) => speaker.step(text);
    const context = { ...contextUntil(interrupts.signal), progress };
    return await use({ app, context, interrupts, speaker, terminal, connections });
  } finally {
    // Signing out takes away what was put there for nothing: an interrupt must not cut that short.
    const context = contextUntil(new AbortController().signal);
    if (connections.length > 0) speaker.step('Signing out');
    for (const connection of connections)
      await app.handlers['remote.disconnect']({ connection }, context);
    speaker.endStep();
    terminal?.close();
    await app.close();
    interrupts.close();
  }
}

/** Signs in to the host that the command line names. */
export async function signIn(
  session: RemoteSession,
  options: HostOptions,
): Promise<Result<HostSession>> {
  const target = await targetOf(session.app, options, session.context);
  return target.ok ? connectHost(session, target.value, options) : target;
}

/** Signs in to a host; what that needs a person for is asked at the terminal. */
export async function connectHost(
  session: RemoteSession,
  target: HostTarget,
  options: { readonly acceptNewKey: boolean; readonly label?: string | undefined },
): Promise<Result<HostSession>> {
  const { app, context, speaker } = session;
  const connection = randomUUID();
  const label = options.label ?? labelOf(target);
  const answering = answerQuestions(session, connection, options.acceptNewKey);
  const connected = await app.handlers['remote.connect']({ connection, target, label }, context);
  if (!connected.ok) {
    if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
    // What a person would have been asked says more than what came of not asking.
    const { code, detail } = connected.error;
    const why = answering.why();
    return why === undefined ? connected : fail(code, why, detail);
  }
  const host = connected.value;
  session.connections.push(connection);
  speaker.say(connectedSentence(host), { event: 'connected', host });
  return ok({ ...session, connection, host });
}

/** As it can be given as HOST again. */
function labelOf({ user, name, port }: HostTarget): string {
  const host = name.includes(':') && port !== undefined ? `[${name}]` : name;
  return `${user === undefined ? '' : `${user}@`}${host}${port === undefined ? '' : `:${port}`}`;
}

function connectedSentence({ address, via, hostKey, signedInWith }: ConnectedHost): string {
  const hops = via.length === 0 ? '' : ` by way of ${via.join(', ')}`;
  const key = hostKey === undefined ? '' : `; its key is ${hostKey.fingerprint}`;
  return cleanText(`Signed in to ${address}${hops} with ${signedInWith}${key}.`, 1000);
}

/** Answers the connection's questions one after the other, as long as the session lasts. */
function answerQuestions(
  { app, context, speaker, terminal }: RemoteSession,
  connection: string,
  acceptNewKey: boolean,
): { why(): string | undefined } {
  const open = new Map<string, AbortController>();
  let turn = Promise.resolve();
  let why: string | undefined;

  async function answer(question: RemoteQuestion, gone: AbortController): Promise<void> {
    const signal = AbortSignal.any([gone.signal, context.signal]);
    if (signal.aborted) return;
    speaker.endStep();
    const answered = await answerQuestion(question, { terminal, acceptNewKey, signal });
    why = answered.why ?? why;
    if (gone.signal.aborted) return;
    const reply = { question: question.id, answer: answered.answer };
    await app.handlers['remote.answer'](reply, context);
  }
  app.onEvent((name, payload) => {
    if (name === 'remote.question') {
      const question = payload as RemoteQuestion;
      if (question.connection !== connection) return;
      const gone = new AbortController();
      open.set(question.id, gone);
      turn = turn.then(() => answer(question, gone));
    } else if (name === 'remote.questionGone') {
      const { id } = payload as { id: string };
      open.get(id)?.abort();
      open.delete(id);
    }
  });
  return { why: () => why };
}
