import type { FlameFrame } from '../../shared/answers/flame.ts';
import type { FlameWeight } from '../../shared/library/view.ts';
import { groupRole, type Role, roles, type Trace } from '../../shared/model/trace.ts';
import { roleGroupLabel } from '../../shared/words/terms.ts';
import { perRoles } from '../index/per-trace.ts';
import { threadsOf } from './flame-events.ts';
import { type FlamePaths, flamePaths } from './flame-paths.ts';

/** Paths below the role of the thread that an event is of. */
export interface RolePaths extends FlamePaths {
  /** The path of an event of `thread` whose own is `path`; -1 = it has none. */
  numberOf(path: number, thread: number): number;
}

/** Ids of functions and of GPU work are less. */
const FIRST_ROLE = 2 ** 30;

/** The paths of a weight by role; undefined where all its events are of one. */
export function rolePaths(trace: Trace, weight: FlameWeight): RolePaths | undefined {
  const known = byWeight(trace);
  if (!known.has(weight)) known.set(weight, makePaths(trace, weight));
  return known.get(weight);
}

const byWeight = perRoles(() => new Map<FlameWeight, RolePaths | undefined>());

function makePaths(trace: Trace, weight: FlameWeight): RolePaths | undefined {
  const { placeOf, groups } = groupsOf(trace, weight);
  if (groups.length < 2) return undefined;
  const paths = flamePaths(trace, weight);
  const made = new Map<number, Int32Array>();
  const count = groups.length;
  return {
    length: paths.length * count,
    numberOf: (path, thread) =>
      path < 0 || path >= paths.length ? -1 : path * count + (placeOf[thread] ?? count - 1),
    stackOf: (path) => paths.stackOf(Math.floor(path / count)),
    pathOf(path) {
      const place = path % count;
      const whole = path < 0 ? paths.pathOf(path) : paths.pathOf(Math.floor(path / count));
      if (whole.length === 0) return whole;
      const known = made.get(path);
      if (known !== undefined) return known;
      const below = Int32Array.from([FIRST_ROLE + place, ...whole]);
      made.set(path, below);
      return below;
    },
    named: (id) => groups[id - FIRST_ROLE] ?? paths.named(id),
    find: paths.find,
  };
}

/** The roles that events of a weight are of, and by thread the place of its own among them. */
function groupsOf(
  trace: Trace,
  weight: FlameWeight,
): { placeOf: Int32Array; groups: readonly FlameFrame[] } {
  const processes = new Map<Role, Set<number>>();
  for (const thread of threadsOf(trace, weight)) {
    const role = groupRole(trace, thread);
    const seen = processes.get(role) ?? new Set();
    processes.set(role, seen.add(trace.threads[thread]?.process ?? -1));
  }
  const found = roles.filter((role) => processes.has(role));
  const groups = found.map((role): FlameFrame => {
    const symbol = roleGroupLabel(role, processes.get(role)?.size ?? 1);
    return { symbol, language: 'role', role };
  });
  const placeOf = Int32Array.from(trace.threads, (_, thread) =>
    Math.max(0, found.indexOf(groupRole(trace, thread))),
  );
  return { placeOf, groups };
}
