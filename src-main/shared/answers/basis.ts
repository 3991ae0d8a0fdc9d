/** How an evidence figure is known; shown beside every figure. */
export type Basis = 'exact' | 'inferred' | 'aggregated' | 'unknown';

export interface CannotTell {
  readonly question: string;
  readonly because: string;
}
