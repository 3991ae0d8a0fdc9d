import { type App, createApp } from '../../app/app.ts';
import { launchNodeProcess } from '../../hosts/node-launcher.ts';
import type { CallContext } from '../../shared/rpc/rpc.ts';
import { knowingInterrupts } from './knowing-interrupts.ts';

/**
 * The app without a window. Its user may open any file that this process may. Captures need
 * `agentStatusFile`.
 */
export function createCliApp(dataFolder: string, agentStatusFile?: string): App {
  const app = createApp(
    { kind: 'cli', launch: launchNodeProcess, mayOpen: () => true },
    { dataFolder, ...(agentStatusFile !== undefined && { agentStatusFile }) },
  );
  return { ...app, handlers: knowingInterrupts(app.handlers) };
}

export function contextUntil(signal: AbortSignal): CallContext {
  return { signal, session: signal, progress: () => undefined };
}
