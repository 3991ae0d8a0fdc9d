import type { AddedInvestigation } from '../shared/library/investigation.ts';
import type { Result } from '../shared/rpc/result.ts';
import type { CallOptions, ReplyFrame, RequestFrame } from '../shared/rpc/rpc.ts';
import type { TilesWanted } from '../shared/rpc/tiles-query.ts';
import type { TileAnswer } from '../timeline/tiles/tile-answers.ts';
import type {
  CallArguments,
  CallError,
  CallName,
  CallValue,
  EventName,
  Events,
} from './contract.ts';

/** `copy`: keep a copy in the library, also where the rules would leave the file where it is. */
export interface AddOptions extends CallOptions {
  readonly copy?: boolean | undefined;
}

/** The renderer's one way to the Node side; implemented in src-renderer/api.ts for both hosts. */
export interface Api {
  /** Asks the host. An expected failure is a value; a lost connection is one too (`disconnected`). */
  call<N extends CallName>(
    name: N,
    args: CallArguments<N>,
    options?: CallOptions,
  ): Promise<Result<CallValue<N>, CallError<N>>>;
  /** Listens to an event of the host, over every connection to come; returns how to stop. */
  on<E extends EventName>(event: E, listener: (payload: Events[E]) => void): () => void;
  /**
   * Fetches tiles of the timeline of an open trace as one binary body. `process-lost`: the process that read the trace
   * ended; `not-open`: it was closed.
   */
  fetchTiles(
    traceId: string,
    wanted: TilesWanted,
    signal?: AbortSignal,
  ): Promise<Result<TileAnswer, 'disconnected' | 'not-open' | 'process-lost' | 'cancelled'>>;
  /** Adds a file the user chose or dropped: by path on the desktop, streamed to the host in the browser. */
  addFile(
    file: File,
    options?: AddOptions,
  ): Promise<Result<AddedInvestigation, CallError<'library.add'>>>;
  /** An investigation as one .stalltrace file; browser only, the desktop asks where to write it. */
  downloadArchive(id: number): Promise<Result<Download, 'disconnected'>>;
  /** The timeline of an open trace for Perfetto, under a name of the page's; browser only, likewise. */
  downloadPerfetto(
    wanted: CallArguments<'perfetto.save'>,
  ): Promise<Result<Download, 'disconnected'>>;
}

/** A file that a browser is sent once, from an address that is good for a minute. */
export interface Download {
  readonly address: string;
  readonly fileName: string;
}

/** What the preload script puts on `window`, and nothing else. */
export interface DesktopBridge {
  post(frame: RequestFrame): void;
  onFrame(listener: (frame: ReplyFrame) => void): void;
  /** The path of a file the user dropped or chose, empty for one that has none. */
  pathForFile(file: File): string;
}

/** Name of the bridge on `window`; also how the renderer knows which host it runs in. */
export const BRIDGE_NAME = 'stalltrace';
