import type { Api } from '../../../src-main/contract/api.ts';
import {
  type Confirmation,
  earlierFindingOf,
} from '../../../src-main/shared/answers/confirmation.ts';
import type { Diagnosis, Finding } from '../../../src-main/shared/answers/diagnosis.ts';
import type { OpenedTrace } from '../../../src-main/shared/contract/trace-calls.ts';
import type { Investigation } from '../../../src-main/shared/library/investigation.ts';
import { type Failure, ok, type Result } from '../../../src-main/shared/rpc/result.ts';

type FindingName = Pick<Finding, 'id' | 'rank'>;

interface Asked {
  readonly finding: FindingName;
  readonly entry: Investigation;
  readonly answer?: Result<Confirmation>;
}

/** A finding of the trace on the screen, judged again in another trace of the library. One at a time. */
export class Confirming {
  readonly #api: Api;
  #asked = $state.raw<Asked | undefined>();
  #controller: AbortController | undefined;

  constructor(api: Api) {
    this.#api = api;
  }

  /** In which trace `finding` is or was judged. */
  entryFor(finding: FindingName): Investigation | undefined {
    return this.#of(finding)?.entry;
  }

  isBusy(finding: FindingName): boolean {
    const asked = this.#of(finding);
    return asked !== undefined && asked.answer === undefined;
  }

  valueFor(finding: FindingName): Confirmation | undefined {
    const answer = this.#of(finding)?.answer;
    return answer?.ok ? answer.value : undefined;
  }

  failureFor(finding: FindingName): Failure | undefined {
    const answer = this.#of(finding)?.answer;
    return answer?.ok === false ? answer.error : undefined;
  }

  async ask(
    diagnosis: Diagnosis,
    finding: Finding,
    { traceId }: Pick<OpenedTrace, 'traceId'>,
    entry: Investigation,
  ): Promise<void> {
    this.clear();
    const controller = new AbortController();
    this.#controller = controller;
    this.#asked = { finding, entry };
    const { signal } = controller;
    const run = await this.#api.call(
      'trace.runSummary',
      { traceId, rank: finding.rank },
      { signal },
    );
    const answer = run.ok
      ? await this.#judge(entry, earlierFindingOf(diagnosis, finding, run.value), signal)
      : run;
    if (!controller.signal.aborted) this.#asked = { finding, entry, answer };
  }

  clear(): void {
    this.#controller?.abort();
    this.#asked = undefined;
  }

  async #judge(
    { id }: Investigation,
    finding: ReturnType<typeof earlierFindingOf>,
    signal: AbortSignal,
  ): Promise<Result<Confirmation>> {
    const opened = await this.#api.call('trace.open', { id }, { signal });
    if (!opened.ok) return opened;
    const { traceId } = opened.value;
    try {
      const judged = await this.#api.call('trace.confirm', { traceId, finding }, { signal });
      return judged.ok ? ok(judged.value) : judged;
    } finally {
      void this.#api.call('trace.close', { traceId });
    }
  }

  #of({ id, rank }: FindingName): Asked | undefined {
    const asked = this.#asked;
    return asked?.finding.id === id && asked.finding.rank === rank ? asked : undefined;
  }
}
