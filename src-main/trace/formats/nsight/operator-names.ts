/**
 * `torch.autograd.profiler.emit_nvtx` writes counters into the names of its ranges (torch/csrc/profiler/util.cpp):
 * `aten::mm, seq = 7, op_id = 42, sizes = [[8, 8], [8, 8]], input_op_ids = [(3,0)]`. They stand in this order, each may be
 * missing, and no two calls have the same.
 */
const COUNTERS =
  /(?:, seq = \d{1,20})?(?:, op_id = \d{1,20})?(?=$|, sizes = \[|, input_op_ids = \[)/;
const INPUTS = /, input_op_ids = \[[\d(), ]*\]?…?$/;
/** Of what takes no tensors, as the ranges around a loader. */
const NO_SIZES = /, sizes = \[[[\], ]*\]$/;

/** What all calls of an operator have in common: their name, with the sizes where those were recorded. */
export function operatorName(name: string): string {
  if (!name.includes(' = ')) return name;
  return name.replace(COUNTERS, '').replace(INPUTS, '').replace(NO_SIZES, '');
}
