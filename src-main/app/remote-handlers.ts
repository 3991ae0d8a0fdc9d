import type { CallContext, CallOptions } from '../shared/rpc.ts';
import { bringBack } from './bring-back.ts';
import type { AreaHandlers, Services } from './services.ts';

/** Hosts and captures: what the process that speaks SSH does, and the library's part of it. */
export function remoteHandlers(services: Services): AreaHandlers<'remote'> {
  const { remote } = services;
  return {
    'remote.hosts': (args, context) => remote.call('hosts', args, during(context)),
    'remote.parseTarget': (args, context) => remote.call('parseTarget', args, during(context)),
    'remote.saveHost': (args, context) => remote.call('saveHost', args, during(context)),
    'remote.forgetHost': (args, context) => remote.call('forgetHost', args, during(context)),
    'remote.connect': (args, context) => remote.call('connect', args, during(context)),
    'remote.answer': (args, context) => remote.call('answer', args, during(context)),
    'remote.disconnect': (args, context) => remote.call('disconnect', args, during(context)),
    'remote.retry': (args, context) => remote.call('retry', args, during(context)),
    'remote.preflight': (args, context) => remote.call('preflight', args, during(context)),
    'remote.processes': (args, context) => remote.call('processes', args, during(context)),
    'remote.start': (args, context) => remote.call('start', args, during(context)),
    'remote.runs': (args, context) => remote.call('runs', args, during(context)),
    'remote.runTarget': (args, context) => remote.call('runTarget', args, during(context)),
    'remote.attach': (args, context) => remote.call('attach', args, during(context)),
    'remote.stop': (args, context) => remote.call('stop', args, during(context)),
    'remote.bringBack': (args, context) => bringBack(services, args.run, context),
    'remote.abandon': (args, context) => remote.call('abandon', args, during(context)),
    'remote.cleanUp': (args, context) => remote.call('cleanUp', args, during(context)),
    'remote.forgetRun': (args, context) => remote.call('forgetRun', args, during(context)),
  };
}

/** A call of another process that lasts as long as the caller's own. */
function during({ signal, progress }: CallContext): CallOptions {
  return { signal, onProgress: progress };
}
