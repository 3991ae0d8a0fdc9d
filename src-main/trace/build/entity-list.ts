import { NONE } from '../../shared/model/schema.ts';
import { IdMap } from './id-map.ts';

/** Processes, threads, GPUs, streams …: things of one kind, in the order in which they were added. */
export class EntityList<Value> {
  readonly values: Value[] = [];
  /** Where ids lead, for whoever looks up millions. */
  readonly ids = new IdMap();
  readonly #numbered = new Map<number, Map<number, number>>();

  /** Adds one that others name by `id`, an integer ≥ 0, or not at all; its position. */
  add(value: Value, id = NONE): number {
    const position = this.values.push(value) - 1;
    if (id !== NONE) this.ids.set(id, position);
    return position;
  }

  /** The position of the one that was added last with this id, `NONE` where nobody has it. */
  positionOf(id: number): number {
    return this.ids.positionOf(id);
  }

  /**
   * The position of the one that `owner` numbers `number`, which nobody else need know: a thread of a
   * process, a stream of a process or GPU. `make` makes it when it is named first.
   */
  ofOwner(owner: number, number: number, make: (number: number) => Value): number {
    const numbered = this.#numbered.get(owner) ?? new Map<number, number>();
    this.#numbered.set(owner, numbered);
    const known = numbered.get(number);
    if (known !== undefined) return known;
    const position = this.add(make(number));
    numbered.set(number, position);
    return position;
  }
}
