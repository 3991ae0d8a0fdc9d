"""How long a step takes while nothing disturbs it, for jobs whose steps are made longer by something beside them."""

import statistics
import time

STEPS = 40


def usual_step_s(loop, step):
    """The median of some steps before the loop; what they took is not counted as the loop's."""
    lengths = []
    for _ in range(STEPS):
        begin = time.perf_counter()
        step()
        lengths.append(time.perf_counter() - begin)
    loop.seconds.clear()
    return statistics.median(lengths)


def add_held(loop, part, usual_s, step):
    """Does a step; what it takes beyond the usual length is time that it was held for."""
    begin = time.perf_counter()
    step()
    loop.add(part, time.perf_counter() - begin - usual_s)
