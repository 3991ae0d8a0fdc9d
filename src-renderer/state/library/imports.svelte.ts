import type { Api } from '../../../src-main/contract/api.ts';
import { hiddenWords, namesIn } from '../../../src-main/shared/library/files-of-folder.ts';
import type {
  AddedInvestigation,
  Investigation,
} from '../../../src-main/shared/library/investigation.ts';
import { noTraceErrors } from '../../../src-main/shared/rpc/trace-file-errors.ts';
import { upperFirst } from '../../../src-main/shared/text/text.ts';
import { plural } from '../../../src-main/shared/text/units.ts';
import { addedWords } from '../../../src-main/shared/words/added-words.ts';
import { Task } from '../common/task.svelte.ts';
import type { Toasts } from '../common/toasts.svelte.ts';

/** A file that could not be added, and why. */
export interface ImportFailure {
  readonly name: string;
  readonly message: string;
}

/** Files that were given at once: what became of them. */
class Batch {
  /** Of a folder what is no trace is left out; its name. */
  readonly folder: string | undefined;
  /** Names of files in it that are not looked at. */
  readonly hidden: readonly string[];
  readonly known: string[] = [];
  readonly noTraces: string[] = [];
  readonly entries: Investigation[] = [];
  added = 0;
  failed = 0;
  /** Somebody cancelled it, or the connection is lost: what was behind is not added. */
  isStopped = false;

  constructor(folder?: string, hidden: readonly string[] = []) {
    this.folder = folder;
    this.hidden = hidden;
  }
}

interface Waiting {
  readonly file: File;
  readonly copy: boolean | undefined;
  readonly batch: Batch;
}

/** Several files on their way into the library, one after another; none of them is opened. */
export class Imports {
  readonly #api: Api;
  readonly #toasts: Toasts;
  readonly #waiting: Waiting[] = [];
  #task = $state.raw<Task | undefined>();
  #running: Promise<void> | undefined;
  #failures = $state.raw<readonly ImportFailure[]>([]);
  #done = 0;
  /** Of all files that were named one by one. */
  #named = new Batch();

  constructor(api: Api, toasts: Toasts) {
    this.#api = api;
    this.#toasts = toasts;
  }

  /** The file that is being added. */
  get task(): Task | undefined {
    return this.#task;
  }

  /** Files of the last imports that failed, until dismissed. */
  get failures(): readonly ImportFailure[] {
    return this.#failures;
  }

  dismissFailures(): void {
    this.#failures = [];
  }

  /** Adds files after those that wait already. */
  async add(files: readonly File[], copy?: boolean): Promise<void> {
    await this.#run(files, copy, this.#named);
  }

  /** The same with the files of a folder: what of them is no trace is left out, and `hidden` ones are named. The entries that they are in the library, none where it was stopped. */
  async addFolder(
    name: string,
    files: readonly File[],
    hidden: readonly string[] = [],
  ): Promise<readonly Investigation[]> {
    const batch = new Batch(name, hidden);
    await this.#run(files, undefined, batch);
    return batch.isStopped ? [] : batch.entries;
  }

  /** Until nothing waits any more. */
  #run(files: readonly File[], copy: boolean | undefined, batch: Batch): Promise<void> {
    this.#waiting.push(...files.map((file) => ({ file, copy, batch })));
    this.#running ??= this.#addAll().finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #addAll(): Promise<void> {
    this.#done = 0;
    const batches = new Set<Batch>();
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      batches.add(next.batch);
      if (await this.#addOne(next)) continue;
      next.batch.isStopped = true;
      this.#leaveWaiting();
    }
    this.#task = undefined;
    this.#named = new Batch();
    for (const batch of batches) this.#tell(batch);
  }

  /** Stops after what is added already. */
  cancel(): void {
    this.#leaveWaiting();
    this.#task?.cancel();
  }

  #leaveWaiting(): void {
    for (const { batch } of this.#waiting.splice(0)) batch.isStopped = true;
  }

  async #addOne({ file, copy, batch }: Waiting): Promise<boolean> {
    const of = this.#done + this.#waiting.length + 1;
    const task = new Task(`Adding ${file.name} (${this.#done + 1} of ${of})`);
    this.#task = task;
    const added = await this.#api.addFile(file, { ...task.options, copy });
    task.end();
    this.#done++;
    if (added.ok) {
      batch.entries.push(added.value.investigation);
      if (added.value.wasKnown) batch.known.push(knownWords(file.name, added.value));
      else batch.added++;
      return true;
    }
    if (added.error.code === 'cancelled') return false;
    if (batch.folder !== undefined && noTraceErrors.includes(added.error.code)) {
      batch.noTraces.push(file.name);
      return true;
    }
    batch.failed++;
    this.#failures = [...this.#failures, { name: file.name, message: added.error.message }];
    this.#toasts.keep(added.error.message, 'error', true);
    return added.error.code !== 'disconnected';
  }

  #tell({ folder, hidden, added, known, noTraces, entries, failed }: Batch): void {
    const unseen = hidden.length > 0 ? [`left out as ${hiddenWords(hidden)}`] : [];
    if (noTraces.length > 0 && entries.length + failed === 0) {
      const told = [namesIn(noTraces), ...unseen].join('; ');
      this.#toasts.error(`The folder “${folder}” has no trace that can be opened: ${told}.`);
      return;
    }
    const parts = [
      ...(added > 0 ? [`${plural(added, 'file')} added to the library`] : []),
      ...(known.length > 0 ? [`there already: ${namesIn(known)}`] : []),
      ...(noTraces.length > 0 ? [`left out as no trace: ${namesIn(noTraces)}`] : []),
      ...unseen,
    ];
    if (parts.length > 0) this.#toasts.show(`${upperFirst(parts.join('; '))}.`);
  }
}

/** A file whose bytes were there, the name it has there, and what a .stalltrace file brought. */
function knownWords(fileName: string, added: AddedInvestigation): string {
  const { name } = added.investigation;
  const facts = [...(name === fileName ? [] : [`as “${name}”`]), addedWords(added)];
  const told = facts.filter((fact) => fact !== undefined);
  return told.length === 0 ? fileName : `${fileName} (${told.join(', ')})`;
}
