"""Control groups with a limit, of version 1 or 2, for jobs that are slow because of it. Needs root."""

import os
import sys

ROOT = "/sys/fs/cgroup"
CANNOT_RUN = 77
# By name of the limit: controller and file of version 1, file of version 2.
FILES = {
    "memory": ("memory", "memory.limit_in_bytes", "memory.max"),
    "cpu": ("cpu", "cpu.cfs_quota_us", "cpu.max"),
    "reads": ("blkio", "blkio.throttle.read_bps_device", "io.max"),
    "writes": ("blkio", "blkio.throttle.write_bps_device", "io.max"),
}


def cannot_run(why):
    print(why, file=sys.stderr)
    os._exit(CANNOT_RUN)


def disk_of(folder):
    """Its number, as limits want it: of the whole disk, not of a part of it."""
    device = os.stat(folder).st_dev
    path = os.path.realpath(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}")
    if not os.path.exists(path):
        cannot_run(f"needs {folder} on a disk of this machine")
    if os.path.exists(os.path.join(path, "partition")):
        path = os.path.dirname(path)
    with open(os.path.join(path, "dev"), encoding="utf8") as file:
        return file.read().strip()


def group_of(controller):
    """The folder of this process's group where `controller` is of version 1."""
    with open("/proc/self/cgroup", encoding="utf8") as file:
        lines = [line.rstrip("\n").split(":", 2) for line in file]
    own = [path for _, controllers, path in lines if controller in controllers.split(",")]
    return os.path.join(ROOT, controller + own[0]) if own else None


def write(path, text):
    with open(path, "w", encoding="utf8") as file:
        file.write(text)


def make_group(limit, values):
    """A new group with the limit; `values` are what its file takes in version 1 and 2."""
    controller, file_1, file_2 = FILES[limit]
    above = group_of(controller)
    if above is None:
        above = ROOT
        name = {"reads": "io", "writes": "io"}.get(limit, controller)
        write(os.path.join(ROOT, "cgroup.subtree_control"), "+" + name)
    group = os.path.join(above, f"stalltrace-truth-{os.getpid()}")
    os.mkdir(group)
    is_old = above != ROOT or os.path.exists(os.path.join(group, file_1))
    write(os.path.join(group, file_1 if is_old else file_2), values[0 if is_old else 1])
    return group


def run_within(limit, values, main):
    """`main` in a child that is in such a group from its first line on; ends this process as it ended."""
    try:
        group = make_group(limit, values)
    except OSError as error:
        cannot_run(f"needs a control group with a limit of {limit}, as root: {error}")
    child = os.fork()
    if child == 0:
        write(os.path.join(group, "cgroup.procs"), str(os.getpid()))
        main()
        sys.exit(0)
    _, status = os.waitpid(child, 0)
    os.rmdir(group)
    sys.exit(os.waitstatus_to_exitcode(status))
