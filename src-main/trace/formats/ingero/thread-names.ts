/**
 * Names that libraries give their threads (pthread_setname_np; Linux keeps 15 characters): PyTorch,
 * CUDA, NCCL, Python from 3.14 on, ZeroMQ, gRPC, Tokio, OpenMP, jemalloc, GLib, io_uring, Mesa; and
 * numbered threads of a pool, `name/0`, `name:1`, `name#2`.
 */
const THREAD_NAME =
  /^(pt_|cuda[-\d]|nccl|QueueFeeder|Thread-|ThreadPool|MainThread|asyncio|ZMQbg|grpc|event_engine|timer_manager|resolver-|tokio-|rayon|omp|jemalloc|gmain$|gdbus$|pool-|iou-)|[/:#]\d+$|:\w+\$\d/i;

/** Whether a name says that its bearer is a thread, not a program. */
export function isThreadName(name: string): boolean {
  return THREAD_NAME.test(name);
}
