import type { LiveFigures, Run, TransferProgress } from '../../shared/remote/run.ts';
import { fail, ok, type Result } from '../../shared/rpc/result.ts';
import type { EmitRemote } from '../connection/remote-options.ts';
import { busy, lockRun, type RunLock } from '../state/run-lock.ts';
import type { RunRecord } from '../state/run-record.ts';
import type { RunStore } from '../state/run-store.ts';
import type { StateError } from '../state/state-file.ts';
import { broughtSoFar } from './brought-so-far.ts';
import { Throttle } from './throttle.ts';

/** At most four times a second. */
const TELL_EVERY_MS = 250;
const MOST_NOTICES = 100;
const MAY_BE_PARTLY_HERE: ReadonlySet<Run['phase']> = new Set(['recorded', 'bringing']);

/** A run that this process has in hand: no other one touches it meanwhile. */
export interface HeldRun {
  readonly id: string;
  record: RunRecord;
  live: LiveFigures | undefined;
  pastedLine?: string;
  link: Run['link'];
  transfer: TransferProgress | undefined;
  notices: Run['notices'];
  /** Of the connection that it is followed over. */
  connection: string | undefined;
  /** Ends the following. */
  watch: AbortController | undefined;
  /** Settles when the following has ended. */
  watched: Promise<void>;
  /** What is being done to it now: one thing at a time. */
  doing: string | undefined;
  /** Settles when that has ended. */
  done: Promise<unknown>;
  /** Settles when its record is on the disk, as far as it was changed. */
  written: Promise<unknown>;
  readonly lock: RunLock;
}

/** The runs of this data folder: those in hand, and what is known of the others. */
export class HeldRuns {
  readonly store: RunStore;
  readonly #emit: EmitRemote;
  readonly #held = new Map<string, HeldRun>();
  readonly #told: Throttle;
  readonly #cutOff = new Map<string, RunRecord>();

  constructor(store: RunStore, emit: EmitRemote) {
    this.store = store;
    this.#emit = emit;
    this.#told = new Throttle(TELL_EVERY_MS, (id) => {
      const run = this.#held.get(id);
      if (run !== undefined) emit('run', asRun(run.record, run));
    });
  }

  get(id: string): HeldRun | undefined {
    return this.#held.get(id);
  }

  all(): readonly HeldRun[] {
    return [...this.#held.values()];
  }

  async list(): Promise<readonly Run[]> {
    const records = await this.store.list();
    return Promise.all(
      records.map(async (record) => {
        const held = this.#held.get(record.id);
        const run = asRun(held?.record ?? record, held);
        if (run.transfer !== undefined || !MAY_BE_PARTLY_HERE.has(run.phase)) return run;
        const transfer = await broughtSoFar(this.store.folderOf(record.id));
        return transfer === undefined ? run : { ...run, transfer };
      }),
    );
  }

  /**
   * Runs that are off the list since nothing of them was on their host, though what a lost link had
   * brought there may still have been about to make their folder.
   */
  cutOff(): readonly RunRecord[] {
    return [...this.#cutOff.values()];
  }

  /** Runs were added to or taken off the list. */
  changed(): void {
    this.#emit('changed', null);
  }

  /** Takes a run in hand that is on the disk. */
  async hold(id: string): Promise<Result<HeldRun, 'no-such-run' | 'run-busy' | StateError>> {
    const held = this.#held.get(id);
    if (held !== undefined) return held.doing === undefined ? ok(held) : busyWith(held);
    if ((await this.store.read(id)) === undefined) return noSuchRun();
    const lock = await lockRun(this.store.folderOf(id));
    if (!lock.ok) return lock;
    // Read again: whoever had it until now may have changed it, or be done with it.
    const record = await this.store.read(id);
    if (record !== undefined) return ok(this.add(record, lock.value));
    await lock.value.release();
    return noSuchRun();
  }

  add(record: RunRecord, lock: RunLock): HeldRun {
    const run: HeldRun = {
      id: record.id,
      record,
      live: undefined,
      link: undefined,
      transfer: undefined,
      notices: [],
      connection: undefined,
      watch: undefined,
      watched: Promise.resolve(),
      doing: undefined,
      done: Promise.resolve(),
      written: Promise.resolve(),
      lock,
    };
    this.#held.set(run.id, run);
    return run;
  }

  /** Lets go of a run: what follows it ends, others may take it in hand. Not while something is done to it. */
  async release(run: HeldRun): Promise<void> {
    await run.done;
    run.watch?.abort();
    await run.watched;
    if (this.#held.get(run.id) !== run) return;
    this.#held.delete(run.id);
    this.#told.cancel(run.id);
    await run.lock.release();
    this.#emit('run', asRun(run.record));
  }

  /** Does one thing to a run, if nothing else is being done to it. */
  async during<T, Code extends string>(
    run: HeldRun,
    doing: string,
    action: () => Promise<Result<T, Code>>,
  ): Promise<Result<T, Code | 'run-busy'>> {
    if (run.doing !== undefined) return busyWith(run);
    run.doing = doing;
    const result = action().finally(() => {
      run.doing = undefined;
    });
    run.done = result.catch(() => undefined);
    return result;
  }

  /** Changes what outlives the app; on the disk when it settles, told in any case. */
  async change(run: HeldRun, changes: Partial<RunRecord>): Promise<Result<null, StateError>> {
    run.record = { ...run.record, ...changes };
    // One after the other: an earlier record must not overtake a later one.
    const written = run.written.then(() => this.store.write(run.record));
    run.written = written;
    const result = await written;
    this.#told.cancel(run.id);
    this.#told.call(run.id);
    return result;
  }

  /** Changes what is only shown. */
  show(
    run: HeldRun,
    changes: Partial<Pick<HeldRun, 'live' | 'link' | 'transfer' | 'pastedLine'>>,
  ): void {
    Object.assign(run, changes);
    this.#told.call(run.id);
  }

  notice(run: HeldRun, level: string, text: string): void {
    if (run.notices.length >= MOST_NOTICES) return;
    run.notices = [...run.notices, { level, text }];
    this.#told.call(run.id);
  }

  /** Takes a run off the list whose beginning was cut off; `last`: what it became. */
  removeCutOff(run: HeldRun, last: Partial<RunRecord>): Promise<Result<null, StateError>> {
    this.#cutOff.set(run.id, run.record);
    return this.remove(run, last);
  }

  /** Takes a run off the list, its folder with it; `last`: what it became. */
  async remove(run: HeldRun, last: Partial<RunRecord>): Promise<Result<null, StateError>> {
    run.watch?.abort();
    await run.watched;
    await run.written;
    run.record = { ...run.record, ...last };
    const removed = await this.store.remove(run.id);
    if (!removed.ok) return removed;
    this.#held.delete(run.id);
    this.#told.cancel(run.id);
    this.#emit('run', asRun(run.record, run));
    this.#emit('changed', null);
    return ok(null);
  }
}

/** A run as the screen shows it. */
export function asRun(record: RunRecord, held?: HeldRun): Run {
  const { id, label, address, phase, what, startedAt, request, tone } = record;
  const bytesOnHost = phase === 'cleaned' ? 0 : (record.bytesOnHost ?? held?.live?.sizeBytes);
  return {
    id,
    host: label,
    address,
    phase,
    what,
    startedAt,
    mode: request.mode,
    tone,
    durationS: request.durationS,
    maxSizeBytes: request.maxSizeBytes,
    notices: held?.notices ?? [],
    ...(held?.link !== undefined && { link: held.link }),
    ...(record.message !== undefined && { message: record.message }),
    ...(held?.live !== undefined && { live: held.live }),
    ...(held?.pastedLine !== undefined && { pastedLine: held.pastedLine }),
    ...(held?.transfer !== undefined && { transfer: held.transfer }),
    ...(record.jobRunning !== undefined && { jobRunning: record.jobRunning }),
    ...(record.investigation !== undefined && { investigation: record.investigation }),
    ...(bytesOnHost !== undefined && { bytesOnHost }),
  };
}

function busyWith({ doing }: HeldRun): Result<never, 'run-busy'> {
  if (doing === undefined) return busy();
  return fail(
    'run-busy',
    `This capture is being ${doing}: wait until that has ended, or cancel it.`,
  );
}

export function noSuchRun(): Result<never, 'no-such-run'> {
  return fail('no-such-run', 'That capture is not on the list any more: reload the list.');
}
