import { fail, type Result } from '../../shared/rpc/result.ts';

/** A process that died while it was asked is named as such, not as a lost connection of the user's. */
export function alive<T, Code extends string>(
  result: Result<T, Code>,
): Result<T, Code | 'process-lost'> {
  if (result.ok || result.error.code !== 'disconnected') return result;
  return fail(
    'process-lost',
    'The process of this trace has ended: open it again.',
    result.error.message,
  );
}
