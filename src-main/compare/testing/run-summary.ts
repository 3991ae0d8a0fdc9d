import type { RunEnvironment } from '../../shared/answers/run-environment.ts';
import type { RunFinding, RunSummary } from '../../shared/answers/run-summary.ts';
import type { Unseen } from '../../shared/answers/unseen.ts';

const MS = 1e6;

interface Plan {
  readonly stepMs?: number;
  readonly steps?: number;
  readonly environment?: Partial<RunEnvironment>;
  readonly findings?: readonly RunFinding[];
  readonly unseen?: Partial<Unseen>;
}

/** A run whose steps wander a little, of which a third is input. */
export function runSummary({
  stepMs = 100,
  steps = 200,
  environment = {},
  findings = [],
  unseen = {},
}: Plan = {}): RunSummary {
  const durationsNs = Array.from(
    { length: steps },
    (_, at) => stepMs * MS * (1 + 0.02 * Math.sin(at)),
  );
  const none = durationsNs.map(() => 0);
  const input = durationsNs.map((ns) => ns / 3);
  const compute = durationsNs.map((ns) => (ns * 2) / 3);
  return {
    beginUnixNs: '1700000000000000000',
    environment: {
      ...{
        gpus: ['RTX 4090'],
        drivers: ['550.1'],
        ranks: 1,
        madeBy: 'capture',
        recorder: 'agent 1',
      },
      ...environment,
    },
    steps: {
      ...{ basis: 'signature', count: steps, before: 0, groupSize: 1, durationsNs },
      startsNs: durationsNs.map((_, at) => at * stepMs * MS),
      parts: { input, h2d: none, compute, collective: none, other: none, idle: none },
      ...{ betweenNs: 0, inputKnown: true },
    },
    judged: { verdict: 'input-bound', sentence: 'The loop waits for input.' },
    stepsNote: '',
    jobs: 1,
    ranks: [],
    operations: [],
    findings,
    unseen: { byFinding: {}, windowNs: steps * stepMs * MS, ...unseen },
    stackWeights: [],
  };
}
