import type { Result } from '../../shared/rpc/result.ts';
import { cancelled, linkLost, timedOut } from './shell-failure.ts';

/** Aborts with its owner's signal, or when time is up. */
export class TimeLimit {
  readonly #time = new AbortController();
  readonly #wanted: AbortSignal;
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout | undefined;
  readonly signal: AbortSignal;

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.#wanted = signal;
    this.#timeoutMs = timeoutMs;
    this.signal = AbortSignal.any([signal, this.#time.signal]);
    this.restart();
  }

  restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#time.abort(), this.#timeoutMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
  }

  /** Why there is no result, when `signal` has aborted or the link was lost. */
  failure(isLinkLost: boolean): Result<never, 'cancelled' | 'link-lost' | 'timed-out'> {
    if (this.#wanted.aborted) return cancelled();
    return isLinkLost ? linkLost() : timedOut(this.#timeoutMs / 1000);
  }
}
