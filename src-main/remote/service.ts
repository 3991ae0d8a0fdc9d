import type { RemoteProcessCalls } from '../shared/contract/remote-process-calls.ts';
import { originOf } from '../shared/remote/capture-origin.ts';
import type { HostError } from '../shared/remote/connection.ts';
import { ok, type Result } from '../shared/rpc/result.ts';
import type { CallContext, Handlers } from '../shared/rpc/rpc.ts';
import { configEnvironment } from './config/config-environment.ts';
import { parseTarget } from './config/parse-target.ts';
import { type Connection, Connections, notConnected } from './connection/connections.ts';
import { QuestionBroker } from './connection/question-broker.ts';
import type { EmitRemote, RemoteOptions } from './connection/remote-options.ts';
import { listHosts, saveHost } from './list-hosts.ts';
import { listProcesses } from './preflight/list-processes.ts';
import { attachRun } from './runs/attach-run.ts';
import { beginRun } from './runs/begin-run.ts';
import { cleanUpHost, leaveHost } from './runs/clean-host.ts';
import { HeldRuns, noSuchRun } from './runs/held-runs.ts';
import {
  abandonRun,
  fetchRun,
  forgetRun,
  refuseRun,
  settleRun,
  stopCapture,
} from './runs/run-actions.ts';
import type { RunServices } from './runs/run-services.ts';
import type { HostSession } from './shell/host-session.ts';
import { type HostStore, openHostStore } from './state/host-store.ts';
import { openRunStore } from './state/run-store.ts';

/** What was put on a host for nothing is removed before the connection goes, within this. */
const LEAVE_WITHIN_MS = 10_000;

interface Services extends RunServices {
  readonly hosts: HostStore;
  readonly questions: QuestionBroker;
  readonly emit: EmitRemote;
}

/** Everything that the process which speaks SSH can be asked. */
export function remoteHandlers(
  options: RemoteOptions,
  emit: EmitRemote,
): Handlers<RemoteProcessCalls> {
  const questions = new QuestionBroker(emit);
  const services: Services = {
    hosts: openHostStore(options.folder),
    questions,
    connections: new Connections(options, emit, questions),
    runs: new HeldRuns(openRunStore(options.folder), emit),
    emit,
  };
  return {
    ...hostHandlers(services),
    ...connectionHandlers(services),
    ...runHandlers(services),
  };
}

type HostCalls = 'hosts' | 'parseTarget' | 'saveHost' | 'forgetHost';

function hostHandlers({ hosts, emit }: Services): Pick<Handlers<RemoteProcessCalls>, HostCalls> {
  return {
    hosts: async (_args, { signal }) => ok(await listHosts(hosts, configEnvironment(), signal)),
    parseTarget: async ({ text }) => parseTarget(text),
    async saveHost(host, { signal }) {
      const saved = await saveHost(hosts, host, configEnvironment(), signal);
      if (saved.ok) emit('changed', null);
      return saved;
    },
    async forgetHost({ id }) {
      const forgotten = await hosts.forget(id);
      if (forgotten.ok) emit('changed', null);
      return forgotten;
    },
  };
}

type ConnectionCalls =
  | 'connect'
  | 'answer'
  | 'disconnect'
  | 'retry'
  | 'preflight'
  | 'processes'
  | 'start'
  | 'attach'
  | 'cleanUp';

function connectionHandlers(
  services: Services,
): Pick<Handlers<RemoteProcessCalls>, ConnectionCalls> {
  const { hosts, connections, questions, runs } = services;
  return {
    async connect({ connection, target, label }, context) {
      const connected = await connections.connect(connection, target, label, context);
      if (connected.ok) await hosts.noteConnected(target, new Date());
      return connected;
    },
    answer: async ({ question, answer }) => questions.answer(question, answer),
    async disconnect({ connection }) {
      await disconnect(services, connection);
      return ok(null);
    },
    async retry({ connection }) {
      const kept = connections.get(connection);
      kept?.link.retryNow();
      return kept === undefined ? notConnected() : ok(null);
    },
    async preflight({ connection }, context) {
      const session = await look(services, connection, context, true);
      return session.ok ? ok(session.value.session.preflight) : session;
    },
    async processes({ connection }, context) {
      const looked = await look(services, connection, context);
      if (!looked.ok) return looked;
      const listed = await listProcesses(looked.value.session, context.signal);
      if (listed.ok) looked.value.connection.processes = listed.value.trees;
      return listed;
    },
    async start({ connection, request }, context) {
      const looked = await look(services, connection, context);
      if (!looked.ok) return looked;
      const { signal } = context;
      const begun = await beginRun({ runs, ...looked.value, request, signal });
      if (begun.ok || begun.error.code !== 'no-place') return begun;
      // Another Stalltrace may have cleaned up since this one looked.
      const again = await look(services, connection, context, true);
      return again.ok ? beginRun({ runs, ...again.value, request, signal }) : again;
    },
    async attach({ connection, run }, context) {
      const looked = await look(services, connection, context);
      if (!looked.ok) return looked;
      const { session, connection: over } = looked.value;
      return attachRun(runs, run, over, session, context.signal);
    },
    async cleanUp({ connection }, context) {
      const looked = await look(services, connection, context);
      if (!looked.ok) return looked;
      const { session, connection: over } = looked.value;
      return cleanUpHost(services, over, session, context.signal);
    },
  };
}

/** A connection and what was found on its host; looks where that was not done, or `again`. */
async function look(
  { connections }: Services,
  id: string,
  { signal, progress }: CallContext,
  again = false,
): Promise<
  Result<
    { readonly connection: Connection; readonly session: HostSession },
    HostError | 'cancelled'
  >
> {
  const looked = await connections.session(id, {
    again,
    signal,
    progress: (text) => progress({ text }),
  });
  if (!looked.ok) return looked;
  const connection = connections.get(id);
  return connection === undefined ? notConnected() : ok({ connection, session: looked.value });
}

async function disconnect(services: Services, id: string): Promise<void> {
  const { connections, runs } = services;
  const connection = connections.get(id);
  if (connection === undefined) return;
  await connections.end(id);
  const signal = AbortSignal.timeout(LEAVE_WITHIN_MS);
  await leaveHost(services, connection, signal).catch(() => undefined);
  connections.disconnect(id);
  for (const run of runs.all()) if (run.connection === id) await runs.release(run);
}

type RunCalls =
  | 'runs'
  | 'runTarget'
  | 'stop'
  | 'abandon'
  | 'forgetRun'
  | 'fetch'
  | 'settle'
  | 'refuse';

function runHandlers(services: Services): Pick<Handlers<RemoteProcessCalls>, RunCalls> {
  const { runs } = services;
  return {
    runs: async () => ok(await runs.list()),
    async runTarget({ run }) {
      const record = runs.get(run)?.record ?? (await runs.store.read(run));
      if (record === undefined) return noSuchRun();
      return ok(originOf(record, record.request));
    },
    stop: ({ run }, context) => stopCapture(services, run, context),
    abandon: ({ run }, context) => abandonRun(services, run, context),
    forgetRun: ({ run }) => forgetRun(services, run),
    fetch: ({ run }, context) => fetchRun(services, run, context),
    settle: ({ run, investigation }, context) => settleRun(services, run, investigation, context),
    refuse: ({ run, why }) => refuseRun(services, run, why),
  };
}
