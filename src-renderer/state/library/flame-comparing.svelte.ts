import type { Api } from '../../../src-main/contract/api.ts';
import type { ComparedFlames } from '../../../src-main/shared/contract/library-calls.ts';
import type { FlameWeight } from '../../../src-main/shared/library/view.ts';
import type { Failure, Result } from '../../../src-main/shared/rpc/result.ts';
import { Task } from '../common/task.svelte.ts';
import { FlamePane } from '../investigation/flame-pane.svelte.ts';

/** In the order in which one looks: what ran says most of why a step takes longer. */
const PREFERRED: readonly FlameWeight[] = [
  'cpu-samples',
  'cuda-time',
  'gpu-time',
  'off-cpu-time',
  'cuda-bytes',
];

/** The stacks of the two runs that are compared, in one flame graph, once they are asked for. */
export class FlameComparing {
  readonly #api: Api;
  readonly pane = new FlamePane(
    () => false,
    () => this.search,
    false,
  );
  /** Words of a name or a file: what has them is drawn as it is, all else pale. */
  search = $state('');
  #weight = $state<FlameWeight | undefined>();
  #task = $state.raw<Task | undefined>();
  #answer = $state.raw<Result<ComparedFlames> | undefined>();

  constructor(api: Api) {
    this.#api = api;
  }

  /** Of those that both runs have, the one that is shown, or that would be. */
  weightOf(weights: readonly FlameWeight[]): FlameWeight | undefined {
    const isThere = (weight: FlameWeight) => weights.includes(weight);
    return this.#weight !== undefined && isThere(this.#weight)
      ? this.#weight
      : PREFERRED.find(isThere);
  }

  get task(): Task | undefined {
    return this.#task;
  }

  get compared(): ComparedFlames | undefined {
    return this.#answer?.ok ? this.#answer.value : undefined;
  }

  get failure(): Failure | undefined {
    return this.#answer?.ok === false ? this.#answer.error : undefined;
  }

  async load(pair: { readonly first: number; readonly second: number }, weight: FlameWeight) {
    this.forget();
    this.#weight = weight;
    const task = new Task('Comparing the stacks of two runs');
    this.#task = task;
    const args = { first: pair.first, second: pair.second, weight };
    const answer = await this.#api.call('library.compareFlames', args, task.options);
    task.end();
    if (this.#task !== task) return;
    this.#task = undefined;
    this.#answer = answer;
    this.pane.show(answer.ok ? answer.value.difference.tree : undefined, true);
  }

  /** Of other runs; which weight was chosen stays. */
  forget(): void {
    this.#task?.cancel();
    this.#task = undefined;
    this.#answer = undefined;
    this.pane.show(undefined, true);
  }
}
