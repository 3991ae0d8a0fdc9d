import { randomUUID } from 'node:crypto';
import { type Child, connectChild } from '../../rpc/child.ts';
import type { HostPlatform } from '../../shared/platform.ts';
import { fail, type Result } from '../../shared/rpc/result.ts';
import type { CallContext, CallOptions, CommonError } from '../../shared/rpc/rpc.ts';
import type { TraceFileError } from '../../shared/rpc/trace-file-errors.ts';
import type { TraceCopy } from '../../trace/content/trace-copy.ts';
import type { MergedCopy, MergedFile, MergeFilesError } from '../../trace/merge-files.ts';
import type { TraceProcessCalls } from '../trace-process/trace-process-calls.ts';
import { TraceLauncher } from './trace-launcher.ts';

type CopyError = TraceFileError | CommonError;
type MergeError = MergeFilesError | CommonError;
type TraceClient = Child<TraceProcessCalls>['client'];

/** Copies, merges and checks traces, each in a process of its own: all mean running SQLite on a foreign file. */
export class TraceCopier {
  readonly #launcher: TraceLauncher;
  #closed = false;

  constructor(platform: HostPlatform, scratchFolder: string) {
    this.#launcher = new TraceLauncher(platform, scratchFolder);
  }

  /** Copies `path` to `target` as one whole file. Where that fails, `target` may be there in part. */
  copy(path: string, target: string, context: CallContext): Promise<Result<TraceCopy, CopyError>> {
    const gone = `The process that copied ${path} ended unexpectedly: add the file again.`;
    return this.#inProcess(context, gone, (client, scratchFolder, options) =>
      client.call('copy', { path, target, scratchFolder }, options),
    );
  }

  /** Makes one trace of several files at `target`, without those that are no trace with `leavesOut`. Where that fails, nothing is there. */
  merge(
    files: readonly MergedFile[],
    target: string,
    leavesOut: boolean,
    context: CallContext,
  ): Promise<Result<MergedCopy, MergeError>> {
    const gone = `The process that put ${files.length} traces together ended unexpectedly, perhaps because memory ran out: choose fewer of them.`;
    return this.#inProcess<MergedCopy, MergeError>(
      context,
      gone,
      (client, scratchFolder, options) =>
        client.call('merge', { files: [...files], target, scratchFolder, leavesOut }, options),
    );
  }

  /** Reads every page of the file at `path`. */
  check(path: string, context: CallContext): Promise<Result<null, CopyError>> {
    const gone = `The process that checked ${path} ended unexpectedly: try again.`;
    return this.#inProcess(context, gone, (client, _scratchFolder, options) =>
      client.call('check', { path }, options),
    );
  }

  /** Whether the trace at `path` says where its machine's kernel lay in memory. */
  holdsKernelAddresses(path: string, context: CallContext): Promise<Result<boolean, CopyError>> {
    const gone = `The process that read ${path} ended unexpectedly: try again.`;
    return this.#inProcess(context, gone, (client, scratchFolder, options) =>
      client.call('holdsKernelAddresses', { path, scratchFolder }, options),
    );
  }

  /** Removes that from `path`, a copy of ours. */
  hideKernelAddresses(path: string, context: CallContext): Promise<Result<null, CopyError>> {
    const gone = `The process that changed ${path} ended unexpectedly: try again.`;
    return this.#inProcess(context, gone, (client, _scratchFolder, options) =>
      client.call('hideKernelAddresses', { path }, options),
    );
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#launcher.endAll();
  }

  async #inProcess<T, E extends string = CopyError>(
    context: CallContext,
    goneSentence: string,
    use: (
      client: TraceClient,
      scratchFolder: string,
      options: CallOptions,
    ) => Promise<Result<T, E>>,
  ): Promise<Result<T, E | CommonError | 'process-lost'>> {
    if (context.signal.aborted || this.#closed) return fail('cancelled', 'Cancelled.');
    const launched = this.#launcher.launch(randomUUID());
    const kill = () => launched.process.kill();
    context.signal.addEventListener('abort', kill, { once: true });
    const { client } = connectChild<TraceProcessCalls>(launched.process);
    const used = await use(client, launched.scratchFolder, {
      onProgress: (progress) => context.progress(progress),
    });
    context.signal.removeEventListener('abort', kill);
    kill();
    if (context.signal.aborted) return fail('cancelled', 'Cancelled.');
    if (used.ok || used.error.code !== 'disconnected') return used;
    return fail('process-lost', goneSentence, used.error.message);
  }
}
