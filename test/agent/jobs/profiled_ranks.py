"""One rank of a data-parallel job over gloo, profiled by PyTorch; prints between which two moments its profile began
(Unix time in ns)."""

import random
import sys
import time

import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile

rank, store, output = int(sys.argv[1]), sys.argv[2], sys.argv[3]
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=2)
torch.set_num_threads(1)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 256))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
random.seed(rank)
# The first one takes long to begin.
with profile(activities=[ProfilerActivity.CPU]):
    pass
before = time.time_ns()
with profile(activities=[ProfilerActivity.CPU]) as profiler:
    print(before, time.time_ns(), flush=True)
    for step in range(40):
        # No two steps take as long; the second rank is the slow one.
        time.sleep(0.005 + random.random() * 0.01 + 0.02 * rank)
        loss = model(torch.randn(32, 256)).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
profiler.export_chrome_trace(output)
dist.destroy_process_group()
