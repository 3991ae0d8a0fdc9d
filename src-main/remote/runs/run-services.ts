import type { Connections } from '../connection/connections.ts';
import type { HeldRuns } from './held-runs.ts';

/** What an action on a run is made with. */
export interface RunServices {
  readonly runs: HeldRuns;
  readonly connections: Connections;
}
