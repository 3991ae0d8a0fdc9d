import type { Api } from '../../../src-main/contract/api.ts';
import {
  type HostTarget,
  hostTarget,
  type KnownHost,
  type TransportKind,
} from '../../../src-main/shared/remote/host-target.ts';
import { savedId } from './hosts.svelte.ts';

/** What is typed into the form. */
export interface HostFields {
  readonly label: string;
  readonly name: string;
  readonly user: string;
  readonly port: string;
  /** Paths, one a line. */
  readonly keyFiles: string;
  /** Hops as `user@host:port`, by comma, first hop first. */
  readonly jumps: string;
  readonly transport: TransportKind | 'either';
}

const EMPTY: HostFields = {
  label: '',
  name: '',
  user: '',
  port: '',
  keyFiles: '',
  jumps: '',
  transport: 'either',
};

/** What is wrong with a field, as a sentence with what to write instead. */
const problems: Readonly<Record<string, string>> = {
  name: 'An address is one word, such as gpu-box.example.com or 10.0.0.7.',
  user: 'A user is one word of at most 64 characters, or nothing for the usual one.',
  port: 'A port is a number from 1 to 65535, or nothing for the usual one.',
  identityFiles: 'Give the path of at most 8 key files, one a line.',
  jumps: 'Give at most 8 hosts on the way, such as me@bastion:2222, with commas between.',
};

const partsOf = (text: string, separator: RegExp) =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');

function targetOf({ name, user, port, keyFiles, jumps, transport }: HostFields): unknown {
  const files = partsOf(keyFiles, /\n/);
  const hops = partsOf(jumps, /[,\s]/);
  return {
    name: name.trim(),
    ...(user.trim() !== '' && { user: user.trim() }),
    ...(port.trim() !== '' && { port: Number(port.trim()) }),
    ...(files.length > 0 && { identityFiles: files }),
    ...(hops.length > 0 && { jumps: hops }),
    ...(transport !== 'either' && { transport }),
  };
}

function fieldsOf(target: HostTarget, label: string): HostFields {
  return {
    label,
    name: target.name,
    user: target.user ?? '',
    port: target.port === undefined ? '' : String(target.port),
    keyFiles: (target.identityFiles ?? []).join('\n'),
    jumps: (target.jumps ?? []).join(', '),
    transport: target.transport ?? 'either',
  };
}

/** A host that is being described: by a form, by a pasted command, or by a saved host that is changed. */
export class HostForm {
  readonly #api: Api;
  #fields = $state.raw<HostFields>(EMPTY);
  #pasted = $state('');
  #pasteProblem = $state<string | undefined>();
  #changing = $state<string | undefined>();
  #parses = 0;

  readonly #checked = $derived(hostTarget.safeParse(targetOf(this.#fields)));

  constructor(api: Api) {
    this.#api = api;
  }

  get fields(): HostFields {
    return this.#fields;
  }

  /** The command as it was pasted. */
  get pasted(): string {
    return this.#pasted;
  }

  /** Why what was pasted can't be read. */
  get pasteProblem(): string | undefined {
    return this.#pasteProblem;
  }

  /** The id of the saved host that saving replaces. */
  get changing(): string | undefined {
    return this.#changing;
  }

  /** `undefined` while something is wrong or missing. */
  get target(): HostTarget | undefined {
    return this.#checked.success ? this.#checked.data : undefined;
  }

  /** What the user calls it, or else what it is. */
  get label(): string {
    return this.#fields.label.trim() || this.#fields.name.trim();
  }

  /** What is wrong with a field that something was written into. */
  problemOf(field: keyof HostTarget): string | undefined {
    if (this.#checked.success || (field === 'name' && this.#fields.name === '')) return undefined;
    const isWrong = this.#checked.error.issues.some(({ path }) => path[0] === field);
    return isWrong ? problems[field] : undefined;
  }

  change(changes: Partial<HostFields>): void {
    this.#fields = { ...this.#fields, ...changes };
  }

  /** Reads a pasted command into the form; an answer to what is no longer there is thrown away. */
  async paste(text: string): Promise<void> {
    this.#pasted = text;
    this.#pasteProblem = undefined;
    const parse = ++this.#parses;
    if (text.trim() === '') return;
    const parsed = await this.#api.call('remote.parseTarget', { text: text.slice(0, 4096) });
    if (parse !== this.#parses) return;
    if (parsed.ok) this.#fields = fieldsOf(parsed.value, this.#fields.label);
    else this.#pasteProblem = parsed.error.message;
  }

  /** Shows a host, so that it can be changed or saved under another name. */
  edit(host: KnownHost): void {
    this.clear();
    this.#fields = fieldsOf(host.target, host.label);
    this.#changing = savedId(host);
  }

  clear(): void {
    this.#parses++;
    this.#fields = EMPTY;
    this.#pasted = '';
    this.#pasteProblem = this.#changing = undefined;
  }
}
