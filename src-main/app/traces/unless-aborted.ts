import { fail, type Result } from '../../shared/rpc/result.ts';

export function cancelled(): Result<never, 'cancelled'> {
  return fail('cancelled', 'Cancelled.');
}

/** What `work` answers, for as long as somebody waits; it goes on for those who still do. */
export async function unlessAborted<T>(
  signal: AbortSignal | undefined,
  work: Promise<T>,
): Promise<T | Result<never, 'cancelled'>> {
  const left = Promise.withResolvers<Result<never, 'cancelled'>>();
  const leave = () => left.resolve(cancelled());
  if (signal?.aborted) leave();
  signal?.addEventListener('abort', leave, { once: true });
  try {
    return await Promise.race([left.promise, work]);
  } finally {
    signal?.removeEventListener('abort', leave);
  }
}
