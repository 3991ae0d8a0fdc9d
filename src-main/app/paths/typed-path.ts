import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { HostPlatform } from '../../shared/platform.ts';
import type { Result } from '../../shared/rpc/result.ts';

/** A path as somebody typed or pasted it. */
interface TypedPath {
  /** Absolute. */
  readonly path: string;
  /** Where it didn't say its folder: the one it was taken from. */
  readonly takenFrom?: string;
}

/** Takes off the quotes of "copy as path", and knows `~/` and paths from where the host was started. */
export function typedPath({ startFolder }: HostPlatform, text: string): TypedPath {
  // An absolute path is taken as it is, whatever its name looks like.
  if (isAbsolute(text)) return { path: text };
  const bare = /^\s*(["'])(.+)\1\s*$/.exec(text)?.[2] ?? text.trim();
  if (isAbsolute(bare)) return { path: bare };
  if (/^~([/\\]|$)/.test(bare)) return { path: join(homedir(), bare.slice(1)) };
  const takenFrom = startFolder ?? process.cwd();
  return { path: resolve(takenFrom, bare), takenFrom };
}

/** A failure says from where a path was taken that didn't say it itself. */
export function sayTakenFrom<T, Code extends string>(
  result: Result<T, Code>,
  { takenFrom }: TypedPath,
): Result<T, Code> {
  if (result.ok || takenFrom === undefined) return result;
  const { message } = result.error;
  const where = `The path was taken from ${takenFrom}, where Stalltrace was started.`;
  return { ok: false, error: { ...result.error, message: `${message} ${where}` } };
}
