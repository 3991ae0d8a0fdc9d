import { isNew } from './task-state.ts';

/** The first interval off the CPU of a thread; its raw task state, -1 = not recorded. */
interface FirstWait {
  readonly startNs: number;
  readonly state: number;
}

/** From when to when a thread lived, ns; infinite where that is not recorded. */
export function threadLife(
  info: { readonly startNs?: number; readonly endNs?: number } | undefined,
  first: FirstWait | undefined,
): readonly [bornNs: number, diedNs: number] {
  // Between a fork and the child's first wake-up there is nothing yet that could run.
  const bornNs =
    first !== undefined && isNew(first.state) ? first.startNs : (info?.startNs ?? -Infinity);
  return [bornNs, info?.endNs ?? Infinity];
}
