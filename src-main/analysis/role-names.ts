/** PyTorch names the process of each DataLoader worker so (torch/utils/data/_utils/worker.py). */
export const WORKER_NAME = 'pt_data_worker';

/** PyTorch names the thread that copies batches into pinned memory so (…/_utils/pin_memory.py). */
export const PIN_THREAD_NAME = 'pt_data_pin';

/** Names Linux gives its own threads (kthread_create in kernel/, mm/, block/). */
export const KERNEL_THREAD_NAME =
  /^(kthreadd$|kworker\/|ksoftirqd\/|migration\/|swapper\/|rcu_|rcuo|kcompactd|kswapd|khugepaged$|kdevtmpfs$|cpuhp\/|idle_inject\/|irq\/|jbd2\/|oom_reaper$|watchdogd?\/?)/;
