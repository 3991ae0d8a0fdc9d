import { type LinkStorage, type RunGroup, readRunGroups, writeRunGroups } from './kept-links.ts';

/** Older ones were left long ago. */
const MOST_GROUPS = 50;

/** Captures of several hosts that were started together, until they are one investigation; a reload keeps them. */
export class RunGroups {
  readonly #storage: LinkStorage;
  #list = $state.raw<readonly RunGroup[]>([]);

  constructor(storage: LinkStorage) {
    this.#storage = storage;
    // Of a capture by itself that is in the library already nothing is left to be done.
    this.#list = readRunGroups(storage).filter(
      ({ runs }) => runs.length > 1 || runs.some(({ entry }) => entry === undefined),
    );
  }

  /** The one that a capture is of. */
  of(runId: string | undefined): RunGroup | undefined {
    return this.#list.find(({ runs }) => runs.some(({ id }) => id === runId));
  }

  /**
   * They belong together, in this order, with those that do already; what they brought meanwhile is kept. `before`: the
   * entry that what they bring is to be compared with.
   */
  join(ids: readonly string[], before: number | undefined): void {
    const joined = this.#list.filter(({ runs }) => runs.some(({ id }) => ids.includes(id)));
    const known = joined.flatMap(({ runs }) => runs);
    const runs = [
      ...ids.map((id) => known.find((run) => run.id === id) ?? { id }),
      ...known.filter(({ id }) => !ids.includes(id)),
    ];
    const compared = before ?? joined.find((group) => group.before !== undefined)?.before;
    const group = { runs, ...(compared !== undefined && { before: compared }) };
    this.#take([...this.#list.filter((each) => !joined.includes(each)), group]);
  }

  /** Those that are neither among the known captures nor in the library: nothing will come of them. */
  gone(ids: readonly string[]): readonly string[] {
    return this.#list
      .flatMap(({ runs }) => runs)
      .filter(({ id, entry }) => entry === undefined && !ids.includes(id))
      .map(({ id }) => id);
  }

  /** A capture is in the library as `entry`; the group as it is now. */
  bring(runId: string, entry: number): RunGroup | undefined {
    return this.#change(runId, ({ runs }) =>
      runs.map((run) => (run.id === runId ? { ...run, entry } : run)),
    );
  }

  /** A capture will bring nothing; the group without it. */
  leave(runId: string): RunGroup | undefined {
    return this.#change(runId, ({ runs }) => runs.filter(({ id }) => id !== runId));
  }

  /** It is one investigation now, or nobody wants it to be. */
  end({ runs }: RunGroup): void {
    const ids = new Set(runs.map(({ id }) => id));
    this.#take(this.#list.filter((each) => !each.runs.some(({ id }) => ids.has(id))));
  }

  #change(
    runId: string,
    runsOf: (group: RunGroup) => readonly RunGroup['runs'][number][],
  ): RunGroup | undefined {
    const group = this.of(runId);
    if (group === undefined) return undefined;
    const changed = { ...group, runs: [...runsOf(group)] };
    this.#take(this.#list.map((each) => (each === group ? changed : each)));
    return changed;
  }

  #take(list: readonly RunGroup[]): void {
    this.#list = list.filter(({ runs }) => runs.length > 0).slice(-MOST_GROUPS);
    writeRunGroups(this.#storage, this.#list);
  }
}

/** The entries of a group once all of it is in the library. */
export function entriesOf({ runs }: RunGroup): readonly number[] | undefined {
  const entries = runs.flatMap(({ entry }) => entry ?? []);
  return entries.length === runs.length ? entries : undefined;
}
