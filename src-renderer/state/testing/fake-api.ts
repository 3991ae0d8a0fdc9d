import type { Api } from '../../../src-main/contract/api.ts';
import type { CallArguments, CallName, CallValue } from '../../../src-main/contract/contract.ts';
import type {
  AddedInvestigation,
  Investigation,
} from '../../../src-main/shared/library/investigation.ts';
import { fail, ok, type Result } from '../../../src-main/shared/rpc/result.ts';
import type { CallOptions } from '../../../src-main/shared/rpc/rpc.ts';
import { packKinds, packTracks } from '../../../src-main/timeline/tiles/packed-tracks.ts';

type Handler<N extends CallName> = (
  args: CallArguments<N>,
  options?: CallOptions,
) => Result<CallValue<N>> | Promise<Result<CallValue<N>>>;

/** An Api for tests: answers as told, remembers what it was asked, emits events. */
export class FakeApi {
  readonly asked: { readonly name: string; readonly args: unknown }[] = [];
  readonly #handlers = new Map<string, Handler<never>>();
  readonly #listeners = new Map<string, ((payload: never) => void)[]>();
  tiles: Api['fetchTiles'] = async () => ok({ lanes: [], lines: [], buckets: [], isCut: false });
  file: Api['addFile'] = async () => fail('file-not-a-trace', 'not a trace');

  perfetto: Api['downloadPerfetto'] = async ({ name }) =>
    ok({ address: '/perfetto', fileName: name });

  constructor() {
    this.answer('notes.list', () => ok([]));
    this.answer('remote.runs', () => ok([]));
    this.answer('report.beside', () => ok(null));
    this.answer('library.health', () => ok({ state: 'ok', backups: [] }));
    this.answer('trace.tracks', () => ok(packTracks({ groups: [], lost: [], callers: [] })));
    this.answer('trace.kinds', () => ok(packKinds([])));
  }

  answer<N extends CallName>(name: N, handler: Handler<N>): this {
    this.#handlers.set(name, handler as Handler<never>);
    return this;
  }

  emit(event: string, payload: unknown): void {
    for (const listener of [...(this.#listeners.get(event) ?? [])]) listener(payload as never);
  }

  namesAsked(): string[] {
    return this.asked.map(({ name }) => name);
  }

  get api(): Api {
    return {
      call: (async (name: CallName, args: never, options?: CallOptions) => {
        this.asked.push({ name, args });
        const handler = this.#handlers.get(name) as Handler<CallName> | undefined;
        return handler === undefined ? ok(null) : handler(args, options);
      }) as Api['call'],
      on: ((event: string, listener: (payload: never) => void) => {
        this.#listeners.set(event, [...(this.#listeners.get(event) ?? []), listener]);
        return () => {
          const left = (this.#listeners.get(event) ?? []).filter((each) => each !== listener);
          this.#listeners.set(event, left);
        };
      }) as Api['on'],
      fetchTiles: (...args) => this.tiles(...args),
      addFile: (file, options) => this.file(file, options),
      downloadArchive: async (id) =>
        ok({ address: `/archive/${id}`, fileName: `${id}.stalltrace` }),
      downloadPerfetto: async (wanted) => this.perfetto(wanted),
    };
  }
}

export function fakeInvestigation(changes: Partial<Investigation> = {}): Investigation {
  return {
    id: 1,
    name: 'run.db',
    path: '/traces/run.db',
    format: 'Ingero',
    sizeBytes: 1000,
    addedAt: '2026-01-02T03:04:05.000Z',
    sample: false,
    synthetic: false,
    storage: 'referenced',
    state: 'ok',
    tags: [],
    notes: 0,
    ...changes,
  };
}

export function fakeAdded(changes: Partial<AddedInvestigation> = {}): AddedInvestigation {
  return {
    investigation: fakeInvestigation(),
    wasKnown: false,
    notesAdded: 0,
    bookmarksAdded: 0,
    ...changes,
  };
}
