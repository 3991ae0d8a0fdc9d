import { z } from 'zod';

const word = z.string().max(500);
const words = z.array(word).max(1024).readonly();
const count = z.number().int().nonnegative();
/** As a file has it. */
const amount = z.number();

/** What a run ran on and how it was set up. Absent = not known. */
export const runEnvironment = z.strictObject({
  /** Model of each GPU, sorted. */
  gpus: words,
  drivers: words,
  cpuModel: word.optional(),
  /** Of the machine of the rank. */
  cpus: amount.optional(),
  /** Of these, those that the job may run on. */
  allowedCpus: amount.optional(),
  /** CPUs that its quota is worth. */
  cpuQuota: amount.optional(),
  memoryBytes: amount.optional(),
  kernel: word.optional(),
  cudaVersion: word.optional(),
  pythonVersion: word.optional(),
  /** Versions of Python packages by their names. */
  packages: z.record(word, word).optional(),
  ranks: count,
  /** As the command line says it, `--batch-size 64`; else by the shapes of what is copied to the GPU, where these leave no doubt. */
  batchSize: count.optional(),
  /** The command line without its batch size. */
  command: word.optional(),
  /** DataLoader workers at one time; 0 where something shows that it has none, absent where they may not be recorded. */
  workers: count.optional(),
  /** Set where it has some, and how many is not recorded. */
  someWorkers: z.literal(true).optional(),
  /** Of H2D copies above 64 KiB in the steps, the share of bytes from pinned memory; absent = not known. */
  pinnedShare: amount.optional(),
  /** Bytes that a step copies to the GPU; absent without sizes. */
  h2dBytesPerStep: amount.optional(),
  /** Of the training thread's and the workers' time, the share in which others had their CPU. */
  othersShare: amount.optional(),
  /** Likewise, in which a CPU quota held them back. */
  throttledShare: amount.optional(),
  /** `synthetic`: made by a script; `simulated`: some of the machine was not real. */
  madeBy: z.enum(['capture', 'simulated', 'synthetic']),
  /** Format and recorder: what one recorder costs another may not. */
  recorder: word,
});
export type RunEnvironment = z.infer<typeof runEnvironment>;
