import type { Calls, EventName, Events } from '../shared/contract.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { Handlers } from '../shared/rpc.ts';
import type { LibraryClient } from './library-client.ts';
import type { OpenTraces } from './open-traces.ts';

/** What the handlers are made of. */
export interface Services {
  readonly platform: HostPlatform;
  readonly traces: OpenTraces;
  readonly library: LibraryClient;
  readonly sampleFile: string | undefined;
  /** Files waiting for `app.launchFile`, oldest first. */
  readonly launchFiles: string[];
  emit<E extends EventName>(name: E, payload: Events[E]): void;
}

/** The handlers whose names begin with `Area.`. */
export type AreaHandlers<Area extends string> = Pick<
  Handlers<Calls>,
  Extract<keyof Calls, `${Area}.${string}`>
>;
