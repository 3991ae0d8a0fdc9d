import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Judgement } from './judge.ts';
import type { Said } from './said.ts';
import type { Truth } from './truth.ts';

/** One pass over the jobs, kept as JSON so that it can go on later, and be compared with another. */

export type Form = 'broken' | 'fixed';

export interface JobResult {
  readonly job: string;
  readonly form: Form;
  /** From 1. */
  readonly run: number;
  readonly truth: Truth;
  readonly said: Said;
  readonly judgement: Judgement;
  /** s by which the fixed form is shorter. */
  readonly wonSeconds?: number;
  /** Of all CPU time while it was recorded, what went to neither job nor recorder. */
  readonly othersShare?: number;
}

interface Pass {
  readonly commit: string;
  readonly began: string;
  readonly results: readonly JobResult[];
}

/** The pass in `path`, or a new one where there is none; it must be of the same commit. */
export function openPass(path: string, commit: string) {
  const pass: Pass = existsSync(path)
    ? JSON.parse(readFileSync(path, 'utf8'))
    : { commit, began: new Date().toISOString(), results: [] };
  if (pass.commit !== commit)
    throw new Error(
      `${path} is of ${pass.commit}, this is ${commit}: name another file with --out`,
    );
  const results = [...pass.results];
  return {
    results: results as readonly JobResult[],
    /** The broken form is added last. */
    has: (job: string, run: number) =>
      results.some((one) => one.job === job && one.run === run && one.form === 'broken'),
    /** On the disk when this returns: a pass may be stopped at any time. */
    add(result: JobResult): void {
      const { job, run, form } = result;
      const before = results.findIndex((o) => o.job === job && o.run === run && o.form === form);
      if (before >= 0) results.splice(before, 1);
      results.push(result);
      writeFileSync(`${path}.part`, JSON.stringify({ ...pass, results }, undefined, 1));
      renameSync(`${path}.part`, path);
    },
  };
}
