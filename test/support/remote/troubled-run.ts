import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import type { FetchedTrace } from '../../../src-main/shared/contract/remote-process-calls.ts';
import type { CaptureRequest } from '../../../src-main/shared/remote/capture-request.ts';
import type { HostTarget } from '../../../src-main/shared/remote/host-target.ts';
import type { Run } from '../../../src-main/shared/remote/run.ts';
import type { Result } from '../../../src-main/shared/rpc/result.ts';
import { answerOf } from '../fork-library.ts';
import { newConnection, type RemoteProcess } from './remote-process.ts';
import { hashOf, leftOnHost, type RemoteStage, remoteTraceOf } from './remote-stage.ts';

/** What a lost link or a killed app makes a call fail with; a person tries again then. */
const PASSING: ReadonlySet<string> = new Set([
  'link-lost',
  'not-connected',
  'timed-out',
  'no-more-channels',
  'unreachable',
  'connection-refused',
  'no-ssh-server',
  'disconnected',
]);
/** As fast as a person might try again. */
const AGAIN_MS = 300;
const GIVE_UP_MS = 100_000;

/** A person who goes on with a capture whatever happens to the link and the app. */
export class StubbornUser {
  readonly #stage: RemoteStage;
  readonly #target: HostTarget;
  #app: RemoteProcess;
  #connection = '';
  /** Of the app that is being started anew. */
  #back: Promise<void> = Promise.resolve();
  readonly #apps: RemoteProcess[] = [];
  /** Every failure that was told on the way. */
  readonly told: string[] = [];

  constructor(stage: RemoteStage, target: HostTarget) {
    this.#stage = stage;
    this.#target = target;
    this.#app = this.#start();
  }

  #start(): RemoteProcess {
    const app = this.#stage.startApp();
    this.#apps.push(app);
    return app;
  }

  /** How often a link was found to be lost. */
  get losses(): number {
    // The number of the attempt goes on where a link is lost again soon.
    const isLost = (link: RemoteProcess['links'][number] | undefined) =>
      link?.state.kind === 'reconnecting';
    return this.#apps.flatMap(({ links }) =>
      links.filter((link, at) => isLost(link) && !isLost(links[at - 1])),
    ).length;
  }

  get app(): RemoteProcess {
    return this.#app;
  }

  async connect(): Promise<void> {
    await this.#insist(async () => {
      this.#connection = newConnection();
      return this.#app.call('connect', { connection: this.#connection, target: this.#target });
    });
  }

  /** Ends the app's process without a word to it, and begins where a person would. */
  async killApp(): Promise<void> {
    this.#back = this.#restart();
    await this.#back;
  }

  async #restart(): Promise<void> {
    await this.#app.kill();
    this.#app = this.#start();
    await this.connect();
    for (const { id } of answerOf(await this.#app.call('runs', {})))
      await this.#insist(() => this.#attach(id));
  }

  #attach(run: string): Promise<Result<Run>> {
    return this.#app.call('attach', { connection: this.#connection, run });
  }

  /** Where the beginning was cut off it looks whether it records all the same. */
  async start(request: CaptureRequest): Promise<Run> {
    for (;;) {
      const app = this.#app;
      const started = await app.call('start', { connection: this.#connection, request });
      if (started.ok) return started.value;
      this.#note(started.error);
      await this.#back;
      const [known] = answerOf(await this.#app.call('runs', {}));
      if (known === undefined) continue;
      const run = await this.insist(() => this.#attach(known.id));
      if (run.phase === 'recording') return run;
      expect(run.phase).toBe('abandoned');
    }
  }

  stop(run: string): Promise<Run> {
    return this.insist(() => this.#app.call('stop', { run }));
  }

  fetch(run: string): Promise<FetchedTrace> {
    return this.insist(() => this.#app.call('fetch', { run }));
  }

  /** Fetched again the next time. */
  async forgetFetched(run: string): Promise<void> {
    answerOf(await this.#app.call('refuse', { run, why: 'once more' }));
  }

  /** The trace is in the library: nothing may be left on the host. */
  async settle(run: string): Promise<void> {
    await this.insist(() => this.#app.call('settle', { run, investigation: 1 }));
    const left = await this.insist(() =>
      this.#app.call('cleanUp', { connection: this.#connection }),
    );
    expect(left.left).toEqual([]);
    expect(answerOf(await this.#app.call('runs', {}))).toEqual([]);
    expect(leftOnHost(this.#stage.user)).toEqual([]);
  }

  /** Fetches it, and compares it with what is on the host. */
  async fetchIdentical(run: string): Promise<FetchedTrace> {
    const onHost = await hashOf(remoteTraceOf(this.#stage, run));
    const fetched = await this.fetch(run);
    expect(await hashOf(fetched.path)).toBe(onHost);
    expect(fetched.sha256).toBe(onHost);
    return fetched;
  }

  /** Until it is done, or fails with what trying again does not help against. */
  async insist<T>(call: () => Promise<Result<T>>): Promise<T> {
    return this.#insist(async () => {
      await this.#back;
      return call();
    });
  }

  async #insist<T>(call: () => Promise<Result<T>>): Promise<T> {
    const giveUpAt = performance.now() + GIVE_UP_MS;
    for (;;) {
      const done = await call();
      if (done.ok) return done.value;
      this.#note(done.error);
      if (performance.now() > giveUpAt) throw new Error(`never: ${this.told.join('\n')}`);
      await setTimeout(AGAIN_MS);
    }
  }

  #note({ code, message }: { readonly code: string; readonly message: string }): void {
    if (!PASSING.has(code)) throw new Error(`${code}: ${message}`);
    this.told.push(`${code}: ${message}`);
  }
}
