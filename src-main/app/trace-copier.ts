import { randomUUID } from 'node:crypto';
import { connectChild } from '../rpc/child.ts';
import type { HostPlatform } from '../shared/platform.ts';
import type { TraceCopy, TraceProcessCalls } from '../shared/process-contract.ts';
import { fail, type Result } from '../shared/result.ts';
import type { CallContext, CommonError } from '../shared/rpc.ts';
import type { TraceFileError } from '../shared/trace-file-errors.ts';
import { TraceLauncher } from './trace-launcher.ts';

type CopyError = TraceFileError | CommonError;

/** Copies traces, each in a process of its own: checking a foreign log in means running SQLite on it. */
export class TraceCopier {
  readonly #launcher: TraceLauncher;
  #closed = false;

  constructor(platform: HostPlatform, scratchFolder: string) {
    this.#launcher = new TraceLauncher(platform, scratchFolder);
  }

  /** Copies `path` to `target` as one whole file. Where that fails, `target` may be there in part. */
  async copy(
    path: string,
    target: string,
    context: CallContext,
  ): Promise<Result<TraceCopy, CopyError>> {
    if (context.signal.aborted || this.#closed) return fail('cancelled', 'Cancelled.');
    const launched = this.#launcher.launch(randomUUID());
    const kill = () => launched.process.kill();
    context.signal.addEventListener('abort', kill, { once: true });
    const { client } = connectChild<TraceProcessCalls>(launched.process);
    const { scratchFolder } = launched;
    const copied = await client.call(
      'copy',
      { path, target, scratchFolder },
      { onProgress: (progress) => context.progress(progress) },
    );
    context.signal.removeEventListener('abort', kill);
    kill();
    if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
    if (copied.ok || copied.error.code !== 'disconnected') return copied;
    const message = `The process that copied ${path} ended unexpectedly: add the file again.`;
    return fail('process-lost', message, copied.error.message);
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#launcher.endAll();
  }
}
