import { buildFacts, type FactsPlan } from './build-facts.ts';
import { hostExamples } from './host-examples.ts';
import { inputExamples } from './input-examples.ts';
import { loopExamples } from './loop-examples.ts';

/** For every rule, by its id, facts on which it fires: its fix is executed and documented from them. */
const examples: Readonly<Record<string, FactsPlan>> = {
  ...inputExamples,
  ...loopExamples,
  ...hostExamples,
};

/** `changes` stand instead of what the example says. */
export function exampleFacts(id: string, changes: FactsPlan = {}) {
  const plan = examples[id];
  if (plan === undefined) throw new Error(`findings/testing/examples.ts has none for ${id}`);
  return buildFacts({ ...plan, ...changes });
}
