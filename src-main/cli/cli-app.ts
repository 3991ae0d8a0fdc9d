import { type App, createApp } from '../app/app.ts';
import { launchNodeProcess } from '../node-launcher.ts';
import type { CallContext } from '../shared/rpc.ts';

/** The app without a window. Its user may open any file that this process may. */
export function createCliApp(dataFolder: string): App {
  return createApp({ kind: 'cli', launch: launchNodeProcess, mayOpen: () => true }, { dataFolder });
}

export function contextUntil(signal: AbortSignal): CallContext {
  return { signal, session: signal, progress: () => undefined };
}
