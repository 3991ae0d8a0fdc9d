import type { AccountingPart, PartDetail } from '../../../src-main/shared/answers/explanation.ts';
import type { CycleCause } from '../../../src-main/shared/answers/wait-chain.ts';
import type { ThreadState } from '../../../src-main/shared/model/thread-state.ts';
import { stateColour, stateSwatchOf } from '../../../src-main/timeline/model/colours.ts';

/** Colour and pattern of a thread's state, as the timeline draws it. */
export type StateFill = NonNullable<ReturnType<typeof stateSwatchOf>>;

const fill = (state: keyof typeof stateColour): StateFill =>
  stateSwatchOf(stateColour[state]) as StateFill;

const byState: Readonly<Record<ThreadState, StateFill>> = {
  unknown: fill('unknown'),
  running: fill('running'),
  runnable: fill('runnable'),
  sleeping: fill('sleeping'),
  disk: fill('blockedOnIo'),
  uninterruptible: fill('blocked'),
  stopped: fill('stopped'),
  dead: fill('stopped'),
};

/** Waits from which no signal wakes a thread, and those on a disk; in the others it sleeps. */
const byBlock: Readonly<Partial<Record<PartDetail, StateFill>>> = {
  disk: fill('blockedOnIo'),
  page: fill('blockedOnIo'),
  device: fill('blocked'),
  process: fill('blocked'),
  unknown: fill('blocked'),
  stopped: fill('stopped'),
};

const byCause: Readonly<Record<CycleCause, StateFill>> = {
  running: fill('running'),
  'runnable-own': fill('runnable'),
  'runnable-other': fill('runnable'),
  throttled: fill('runnable'),
  stopped: fill('stopped'),
  'idle-cpu': fill('runnable'),
  disk: fill('blockedOnIo'),
  sleeping: fill('sleeping'),
  lock: fill('sleeping'),
  'shared-lock': fill('sleeping'),
  starting: fill('stopped'),
  sending: fill('blocked'),
  'waiting-for-index': fill('sleeping'),
  unknown: fill('unknown'),
};

export const fillOfState = (state: ThreadState): StateFill => byState[state];

export const fillOfCause = (cause: CycleCause): StateFill => byCause[cause];

export function fillOfPart({ kind, detail }: Pick<AccountingPart, 'kind' | 'detail'>): StateFill {
  switch (kind) {
    case 'running':
      return fill('running');
    case 'runnable':
      return fill('runnable');
    case 'blocked':
      return byBlock[detail ?? 'unknown'] ?? fill('sleeping');
    case 'off-cpu':
      return fill('offCpu');
    case 'unexplained':
      return fill('unknown');
  }
}
