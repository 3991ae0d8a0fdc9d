/** What goes from one rank to one other is none that all of them wait for. */
const BETWEEN_TWO = /send|recv/i;
const KERNEL_OF_ALL = /^(void |_Z\d+)?nccl.*kernel/i;

/** Whether a kernel of this name, mangled or not, is a collective that all ranks of a group are in until the last has come. */
export function isCollectiveKernel(name: string): boolean {
  return KERNEL_OF_ALL.test(name) && !BETWEEN_TWO.test(name);
}

/** Likewise a range: of gloo as PyTorch names its work, or of MPI. An asynchronous call of another library ends earlier. */
export function isCollectiveRange(name: string): boolean {
  return /^(gloo:(all_?reduce|all_?gather|all_?to_?all|reduce_scatter|barrier)|MPI_(All|Barrier|Reduce_scatter))/i.test(
    name,
  );
}
