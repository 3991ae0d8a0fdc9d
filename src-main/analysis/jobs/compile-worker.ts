/** From PyTorch 2.5 on. */
const COMPILE_WORKER = /\btorch[/.]_inductor[/.](compile_worker|__autotune_main__)/;

/** Whether a process is one that torch.compile started to compile in: it lives on when it has nothing to do. */
export function isCompileWorker(commandLine: string): boolean {
  return COMPILE_WORKER.test(commandLine);
}
