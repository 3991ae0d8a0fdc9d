import type { RemoteQuestion } from '../../../src-main/shared/remote/questions.ts';
import type { HostLink } from './host-link.svelte.ts';
import type { KeptLink } from './kept-links.ts';

/** The connections of this window: those that are worked with, and those by which captures are followed. */
export class WindowLinks {
  #current = $state.raw<HostLink | undefined>();
  #byRun = $state.raw<ReadonlyMap<string, HostLink>>(new Map());
  readonly #others: () => readonly HostLink[];

  /** `others`: those that are worked with beside the current one. */
  constructor(others: () => readonly HostLink[]) {
    this.#others = others;
  }

  /** The one that is being made or worked with. */
  get current(): HostLink | undefined {
    return this.#current;
  }

  /** By which a capture is followed. */
  of(runId: string): HostLink | undefined {
    return this.#byRun.get(runId);
  }

  /** What any of them waits for a person for. */
  get asked(): { readonly link: HostLink; readonly question: RemoteQuestion } | undefined {
    for (const link of this.#all()) {
      const { question } = link;
      if (question !== undefined) return { link, question };
    }
    return undefined;
  }

  workWith(link: HostLink | undefined): void {
    this.#current = link;
  }

  follow(runId: string, link: HostLink): void {
    this.#byRun = new Map([...this.#byRun, [runId, link]]);
  }

  unfollow(runId: string): void {
    this.#byRun = new Map([...this.#byRun].filter(([id]) => id !== runId));
  }

  isFollowing(link: HostLink): boolean {
    return [...this.#byRun.values()].includes(link);
  }

  /** What a reload needs to find them again. `step`: of the one that is worked with. */
  toKeep(step: KeptLink['step']): KeptLink[] {
    return [...this.#all()].flatMap((link): KeptLink[] => {
      if (link.host === undefined || link.status !== 'connected') return [];
      const { target, label, host } = link;
      const runs = [...this.#byRun].filter(([, each]) => each === link).map(([id]) => id);
      if (runs.length === 0 && link !== this.#current) return [];
      const isCurrent = link === this.#current && step !== undefined;
      return [{ target, label, host, runs, ...(isCurrent && { step }) }];
    });
  }

  #all(): ReadonlySet<HostLink> {
    const current = this.#current === undefined ? [] : [this.#current];
    return new Set([...current, ...this.#others(), ...this.#byRun.values()]);
  }
}
