import type { CallError, CallValue } from '../../contract/contract.ts';
import type { RemoteProcessCalls } from '../../shared/contract/remote-process-calls.ts';
import type { ConnectedHost } from '../../shared/remote/connection.ts';
import { ok, type Result } from '../../shared/rpc/result.ts';
import type { ArgumentsOf, CallContext, CallOptions } from '../../shared/rpc/rpc.ts';
import { bringBack } from '../intake/bring-back.ts';
import type { AreaHandlers, Services } from '../services/services.ts';
import { joinCalls } from '../traces/join-calls.ts';

type OverConnection = 'retry' | 'preflight' | 'processes' | 'start' | 'attach' | 'cleanUp';

/** Hosts and captures: what the process that speaks SSH does, and the library's part of it. */
export function remoteHandlers(services: Services): AreaHandlers<'remote'> {
  const { remote, connections } = services;
  /** A call over a connection, whose user the caller is from then on. */
  function over<N extends OverConnection>(name: N) {
    type Arguments = ArgumentsOf<RemoteProcessCalls, N> & { readonly connection: string };
    return (args: Arguments, context: CallContext) => {
      connections.useBy(args.connection, context.session);
      return remote.call(name, args, during(context));
    };
  }
  const bring = joinCalls((run: string, context) => bringBack(services, run, context));
  return {
    'remote.hosts': (args, context) => remote.call('hosts', args, during(context)),
    'remote.parseTarget': (args, context) => remote.call('parseTarget', args, during(context)),
    'remote.saveHost': (args, context) => remote.call('saveHost', args, during(context)),
    ...signInHandlers(services),
    'remote.disconnect'(args, context) {
      connections.forget(args.connection);
      return remote.call('disconnect', args, during(context));
    },
    'remote.retry': over('retry'),
    'remote.preflight': over('preflight'),
    'remote.processes': over('processes'),
    'remote.start': over('start'),
    'remote.attach': over('attach'),
    'remote.cleanUp': over('cleanUp'),
    'remote.runs': (_args, context) => remote.runs(during(context)),
    'remote.runTarget': (args, context) => remote.call('runTarget', args, during(context)),
    'remote.stop': (args, context) => remote.call('stop', args, during(context)),
    'remote.bringBack': (args, context) => bring(args.run, context),
    'remote.abandon': (args, context) => remote.call('abandon', args, during(context)),
    'remote.forgetRun': (args, context) => remote.call('forgetRun', args, during(context)),
  };
}

type SignInCalls =
  | 'remote.connect'
  | 'remote.answer'
  | 'remote.forgetHost'
  | 'remote.keptSecrets'
  | 'remote.forgetSecrets';

function signInHandlers(services: Services): Pick<AreaHandlers<'remote'>, SignInCalls> {
  const { remote, signIn, kept } = services;
  return {
    'remote.connect': (args, context) => connect(services, args, context),
    async 'remote.answer'(args, context) {
      const answered = await remote.call('answer', args, during(context));
      if (answered.ok) signIn.answered(args.question, args.answer);
      return answered;
    },
    async 'remote.forgetHost'(args, context) {
      // Which address it has must be asked while it is there.
      const hosts = await remote.call('hosts', {}, during(context));
      const forgotten = await remote.call('forgetHost', args, during(context));
      const known = hosts.ok && hosts.value.hosts.find(({ id }) => id === `saved:${args.id}`);
      if (!forgotten.ok || !known || known.address === undefined) return forgotten;
      return kept.forgetHost(known.address);
    },
    'remote.keptSecrets': async () =>
      ok({ keeping: await kept.keeping(), kept: await kept.list() }),
    'remote.forgetSecrets': () => kept.forgetAll(),
  };
}

/** Signs in with what is kept where that is enough, and keeps what has proved right. */
async function connect(
  { remote, signIn, connections }: Services,
  args: Parameters<AreaHandlers<'remote'>['remote.connect']>[0],
  context: CallContext,
): Promise<Result<CallValue<'remote.connect'>, CallError<'remote.connect'>>> {
  signIn.begin(args.connection);
  const connected = await remote.call('connect', args, during(context));
  if (connected.ok) return welcome(connected.value);
  await signIn.failed(args.connection, connected.error.code === 'sign-in-failed');
  return connected;

  async function welcome(host: ConnectedHost) {
    await signIn.connected(host);
    connections.opened(host, context.session);
    return ok(host);
  }
}

/** A call of another process that lasts as long as the caller's own. */
function during({ signal, progress }: CallContext): CallOptions {
  return { signal, onProgress: progress };
}
