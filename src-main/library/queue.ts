import { fail, type Result } from '../shared/rpc/result.ts';

/** Runs one action at a time, in the order they came. */
export interface Queue {
  /** An action whose `signal` is aborted before its turn is left out. */
  run<T, Code extends string>(
    signal: AbortSignal,
    action: () => Promise<Result<T, Code>>,
  ): Promise<Result<T, Code | 'cancelled'>>;
}

export function createQueue(): Queue {
  let last: Promise<unknown> = Promise.resolve();
  return {
    run(signal, action) {
      if (signal.aborted) return Promise.resolve(cancelled());
      const turn = last.then(async () => {
        if (signal.aborted) return cancelled();
        return action();
      });
      last = turn.catch(() => undefined);
      // Whoever waits in the line is answered at once, not at its turn.
      const aborted = new Promise<Result<never, 'cancelled'>>((resolve) => {
        signal.addEventListener('abort', () => resolve(cancelled()), { once: true });
      });
      return Promise.race([turn, aborted]);
    },
  };
}

function cancelled(): Result<never, 'cancelled'> {
  return fail('cancelled', 'Cancelled.');
}
