import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import type { Run } from '../../../src-main/shared/remote/run.ts';
import { plural } from '../../../src-main/shared/text/units.ts';
import type { Toasts } from '../common/toasts.svelte.ts';
import type { CaptureFields } from './capture-options.svelte.ts';
import {
  type LinkStorage,
  type RunGroup,
  readComparedWith,
  writeComparedWith,
} from './kept-links.ts';
import { entriesOf, RunGroups } from './run-groups.svelte.ts';

/** What becomes of a trace that a capture brought. */
export interface Destinations {
  /** Opens it, on its slowest copy. */
  readonly showBrought: (investigation: Investigation) => Promise<void>;
  /** Opens what was recorded again, and compares it with the run before: the id of its entry. */
  readonly compareBrought: (before: number, brought: Investigation) => Promise<void>;
  /** Makes one investigation of entries of several hosts, in this order, and opens that; compared with `before`. */
  readonly openTogether: (entries: readonly number[], before: number | undefined) => Promise<void>;
  /** Of the window, which a reload keeps. */
  readonly storage: LinkStorage;
}

/** What the captures of this window bring: opened, compared with a run before, or made one of several hosts. */
export class Brought {
  readonly #destinations: Destinations;
  readonly #toasts: Toasts;
  readonly #isShown: (runId: string) => boolean;
  readonly groups: RunGroups;
  /** By the ids of captures: the entry that each is to be compared with, and what was filled in for it. */
  readonly #pairs: Map<string, number>;
  readonly #filledIn = new Map<string, CaptureFields>();
  /** What was filled in for the captures that this window brought, by the ids of their entries. */
  readonly #fieldsOf = new Map<number, CaptureFields>();

  /** `isShown`: whether a capture is on the screen. */
  constructor(destinations: Destinations, toasts: Toasts, isShown: (runId: string) => boolean) {
    this.#destinations = destinations;
    this.#toasts = toasts;
    this.#isShown = isShown;
    this.#pairs = readComparedWith(destinations.storage);
    this.groups = new RunGroups(destinations.storage);
  }

  /** Captures that were started together, by the first host's first; `before`: the entry they are compared with. */
  expect(runs: readonly string[], fields: CaptureFields, before: number | undefined): void {
    for (const run of runs) this.#filledIn.set(run, fields);
    const [only, ...others] = runs;
    if (others.length > 0) this.groups.add(runs, before);
    else if (only !== undefined && before !== undefined) this.#pair(only, before);
  }

  /** What was filled in for the capture that brought an entry, as far as this window knows. */
  fieldsOf(entry: number): CaptureFields | undefined {
    return this.#fieldsOf.get(entry);
  }

  /** A trace is in the library. */
  take(run: Run, brought: Investigation): void {
    const fields = this.#filledIn.get(run.id);
    if (fields !== undefined) this.#fieldsOf.set(brought.id, fields);
    const group = this.groups.bring(run.id, brought.id);
    if (group !== undefined) {
      const left = group.runs.filter(({ entry }) => entry === undefined).length;
      if (left === 0) this.#offer(group);
      else
        this.#toasts.show(
          `“${brought.name}” is in the library; ${plural(left, 'capture')} of the same run ${left === 1 ? 'is' : 'are'} still to come.`,
        );
      return;
    }
    const before = this.#pairs.get(run.id);
    this.#pair(run.id, undefined);
    const [label, open] =
      before === undefined
        ? ['Open', () => void this.#destinations.showBrought(brought)]
        : ['Compare', () => void this.#destinations.compareBrought(before, brought)];
    if (this.#isShown(run.id)) open();
    else this.#toasts.show(`“${brought.name}” is in the library.`, { label, run: open });
  }

  /** A capture will bring nothing: those it was started with are one investigation without it. */
  giveUp(runId: string): void {
    const group = this.groups.leave(runId);
    if (group !== undefined && entriesOf(group) !== undefined) this.#offer(group);
  }

  /** Opens what all of a group brought as one investigation. */
  async openTogether(group: RunGroup): Promise<void> {
    const entries = entriesOf(group);
    if (entries === undefined || entries.length === 0) return;
    this.groups.end(group);
    await this.#destinations.openTogether(entries, group.before);
  }

  #offer(group: RunGroup): void {
    const open = () => void this.openTogether(group);
    if (group.runs.some(({ id }) => this.#isShown(id))) open();
    else if (group.runs.length > 0)
      this.#toasts.show(`The traces of ${plural(group.runs.length, 'host')} are in the library.`, {
        label: 'Open as one run',
        run: open,
      });
  }

  /** Kept by the window, as a capture may take longer than it stays as it is. */
  #pair(run: string, before: number | undefined): void {
    if (before === undefined) this.#pairs.delete(run);
    else this.#pairs.set(run, before);
    writeComparedWith(this.#destinations.storage, this.#pairs);
  }
}
