import type { ComparedRole } from '../shared/answers/comparison.ts';
import {
  type RoleFigure,
  type RunRoles,
  type RunSummary,
  roleFigures,
} from '../shared/answers/run-summary.ts';
import { type Role, roles } from '../shared/model/trace.ts';

/** What the threads of each role did a step, in both runs. What one of them did not record is of neither. */
export function comparedRoles(
  { roles: first }: RunSummary,
  { roles: second }: RunSummary,
): ComparedRole[] {
  if (first === undefined || second === undefined) return [];
  const isTold = (figure: RoleFigure) => records(first, figure) && records(second, figure);
  return roles.flatMap((role) =>
    roleFigures.filter(isTold).flatMap((figure): ComparedRole[] => {
      const [was, is] = [of(first, role, figure), of(second, role, figure)];
      if (was === 0 && is === 0) return [];
      const isAtLeast = first.atLeast.includes(figure) || second.atLeast.includes(figure);
      return [
        {
          ...{ role, figure, first: was, second: is },
          ...(was > 0 && is > 0 && { ratio: is / was }),
          ...(isAtLeast && { isAtLeast }),
        },
      ];
    }),
  );
}

const records = ({ roles: told }: RunRoles, figure: RoleFigure): boolean =>
  told.some(({ aStep }) => aStep[figure] !== undefined);

/** A role that a run does not have did nothing in it. */
function of({ roles: told }: RunRoles, role: Role, figure: RoleFigure): number {
  return told.find((each) => each.role === role)?.aStep[figure] ?? 0;
}
