import type { Api } from '../../../src-main/contract/api.ts';
import type { AddedInvestigation } from '../../../src-main/shared/library/investigation.ts';
import { upperFirst } from '../../../src-main/shared/text/text.ts';
import { plural } from '../../../src-main/shared/text/units.ts';
import { addedWords } from '../../../src-main/shared/words/added-words.ts';
import { Task } from '../common/task.svelte.ts';
import type { Toasts } from '../common/toasts.svelte.ts';

/** Names beyond these are counted only. */
const NAMES_TOLD = 5;

/** A file that could not be added, and why. */
export interface ImportFailure {
  readonly name: string;
  readonly message: string;
}

/** Several files on their way into the library, one after another; none of them is opened. */
export class Imports {
  readonly #api: Api;
  readonly #toasts: Toasts;
  readonly #waiting: File[] = [];
  #task = $state.raw<Task | undefined>();
  #failures = $state.raw<readonly ImportFailure[]>([]);
  #done = 0;
  #known: string[] = [];
  #added = 0;

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
    this.#waiting.push(...files);
    if (this.#task !== undefined) return;
    this.#done = this.#added = 0;
    this.#known = [];
    for (let file = this.#waiting.shift(); file !== undefined; file = this.#waiting.shift()) {
      if (!(await this.#addOne(file, copy))) break;
    }
    this.#task = undefined;
    this.#tell();
  }

  /** Stops after what is added already. */
  cancel(): void {
    this.#waiting.length = 0;
    this.#task?.cancel();
  }

  async #addOne(file: File, copy: boolean | undefined): Promise<boolean> {
    const of = this.#done + this.#waiting.length + 1;
    const task = new Task(`Adding ${file.name} (${this.#done + 1} of ${of})`);
    this.#task = task;
    const added = await this.#api.addFile(file, { ...task.options, copy });
    task.end();
    this.#done++;
    if (added.ok) {
      if (added.value.wasKnown) this.#known.push(knownWords(file.name, added.value));
      else this.#added++;
      return true;
    }
    if (added.error.code === 'cancelled') return false;
    this.#failures = [...this.#failures, { name: file.name, message: added.error.message }];
    this.#toasts.keep(added.error.message, 'error', true);
    return added.error.code !== 'disconnected';
  }

  #tell(): void {
    const parts = [
      ...(this.#added > 0 ? [`${plural(this.#added, 'file')} added to the library`] : []),
      ...(this.#known.length > 0 ? [`there already: ${namesIn(this.#known)}`] : []),
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

function namesIn(names: readonly string[]): string {
  const more = names.length - NAMES_TOLD;
  const told = names.slice(0, NAMES_TOLD).join(', ');
  return more > 0 ? `${told} and ${more} more` : told;
}
