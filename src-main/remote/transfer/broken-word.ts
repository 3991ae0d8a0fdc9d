import type { Failure } from '../../shared/rpc/result.ts';

/** `what` it did that no agent of ours does, whatever befalls it: it is dropped, with all that came of it. */
export function brokeItsWord(what: string): Failure<'host-broke-word'> {
  return {
    code: 'host-broke-word',
    message: `The host sent what Stalltrace’s agent never sends: ${what}. Nothing of the trace was kept here. Find out what runs on that host before you use it again, then forget this capture.`,
  };
}
