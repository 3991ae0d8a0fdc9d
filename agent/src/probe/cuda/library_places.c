// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* glob(3) would follow a container's absolute links out of its root, and knows no limit. */
#include "library_places.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../../../inside/job_cupti.h"
#include "../../symbol/open_mapped.h"

/* Below one root; /usr/lib/x86_64-linux-gnu of a full desktop has 5,000. */
#define MAX_ENTRIES 200000

/* Where NVIDIA's packages, wheels and conda, Debian, GKE's device plugin and WSL put them. */
static const char *const places[] = {
	"usr/local/cuda*/lib64/libcudart*.so*",
	"usr/local/cuda*/lib/libcudart*.so*",
	"usr/local/cuda*/targets/*/lib/libcudart*.so*",
	"usr/local/cuda*/compat/libcuda.so*",
	"opt/cuda*/lib64/libcudart*.so*",
	"usr/lib/*-linux-gnu/libcuda*.so*",
	"usr/lib/*-linux-gnu/nvidia/current/libcuda*.so*",
	"usr/lib64/libcuda*.so*",
	"usr/lib/libcuda*.so*",
	"usr/lib/wsl/lib/libcuda*.so*",
	"usr/local/nvidia/lib64/libcuda*.so*",
	"run/nvidia/driver/usr/lib/*-linux-gnu/libcuda*.so*",
	"usr/lib/python3*/*-packages/nvidia/*/lib/libcudart*.so*",
	"usr/lib/python3*/*-packages/torch/lib/libcudart*.so*",
	"usr/local/lib/python3*/*-packages/nvidia/*/lib/libcudart*.so*",
	"usr/local/lib/python3*/*-packages/torch/lib/libcudart*.so*",
	"opt/*conda*/lib/libcudart*.so*",
	"opt/*conda*/envs/*/lib/libcudart*.so*",
	"opt/*conda*/lib/python3*/site-packages/nvidia/*/lib/libcudart*.so*",
	"opt/*conda*/lib/python3*/site-packages/torch/lib/libcudart*.so*",
	"opt/*conda*/envs/*/lib/python3*/site-packages/nvidia/*/lib/libcudart*.so*",
	"opt/*conda*/envs/*/lib/python3*/site-packages/torch/lib/libcudart*.so*",
};

/* Below the prefix of a virtual environment or an installation, as bin/python is. */
static const char *const prefix_places[] = {
	"lib/libcudart*.so*",
	"lib/python3*/site-packages/nvidia/*/lib/libcudart*.so*",
	"lib/python3*/site-packages/torch/lib/libcudart*.so*",
	"lib64/python3*/site-packages/nvidia/*/lib/libcudart*.so*",
	"lib64/python3*/site-packages/torch/lib/libcudart*.so*",
};

/* A toolkit's, Debian's, and those of wheels and conda. */
static const char *const places_of_cupti[] = {
	"usr/local/cuda*/extras/CUPTI/lib64/libcupti.so.*",
	"usr/local/cuda*/targets/*/lib/libcupti.so.*",
	"usr/local/cuda*/lib64/libcupti.so.*",
	"usr/local/cuda*/lib/libcupti.so.*",
	"opt/cuda*/extras/CUPTI/lib64/libcupti.so.*",
	"usr/lib/*-linux-gnu/libcupti.so.*",
	"usr/lib64/libcupti.so.*",
	"usr/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.*",
	"usr/local/lib/python3*/*-packages/nvidia/*/lib/libcupti.so.*",
	"opt/*conda*/lib/libcupti.so.*",
	"opt/*conda*/envs/*/lib/libcupti.so.*",
	"opt/*conda*/lib/python3*/site-packages/nvidia/*/lib/libcupti.so.*",
	"opt/*conda*/envs/*/lib/python3*/site-packages/nvidia/*/lib/libcupti.so.*",
};

struct walk {
	int root;
	char root_path[32]; /* what to put before a path to open it */
	unsigned int entries;
	bool cupti; /* else CUDA itself */
	library_visitor visit;
	void *context;
};

static bool is_wanted(const struct walk *walk, struct cuda_library *library)
{
	return walk->cupti ? is_cupti_name(library->path) :
			     is_cuda_library_name(library->path, &library->driver);
}

/* The path that the kernel knows the file by, below the root; it must lead back to that file. */
static bool name_file(const struct walk *walk, int fd, struct cuda_library *library)
{
	struct stat status, again;
	char link[64];
	ssize_t length;

	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, library->path, sizeof(library->path) - 1);
	if (length <= 0 || (size_t)length == sizeof(library->path) - 1)
		return false;
	library->path[length] = '\0';
	if (!is_wanted(walk, library))
		return false;
	snprintf(library->open_path, sizeof(library->open_path), "%s%s", walk->root_path,
		 library->path);
	library->device = status.st_dev;
	library->inode = status.st_ino;
	return stat(library->open_path, &again) == 0 && again.st_dev == status.st_dev &&
	       again.st_ino == status.st_ino;
}

static void visit_file(struct walk *walk, const char *path)
{
	struct cuda_library library = {};
	int fd = open_path_in_root(walk->root, path);

	if (fd < 0)
		return;
	if (name_file(walk, fd, &library))
		walk->visit(walk->context, &library);
	close(fd);
}

static void expand(struct walk *walk, const char *begin, const char *rest);

/* Every name in the directory that matches the pattern, which may have more parts behind it. */
static void expand_directory(struct walk *walk, const char *directory, const char *pattern,
			     const char *rest)
{
	int path_fd = open_path_in_root(walk->root, directory[0] ? directory : ".");
	int fd = path_fd < 0 ? -1 : openat(path_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	char path[1024];

	if (path_fd >= 0)
		close(path_fd);
	if (!stream) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while (walk->entries < MAX_ENTRIES && (entry = readdir(stream))) {
		int length;

		walk->entries++;
		if (fnmatch(pattern, entry->d_name, FNM_PERIOD) != 0)
			continue;
		length = snprintf(path, sizeof(path), "%s%s%s", directory, directory[0] ? "/" : "",
				  entry->d_name);
		if (length > 0 && (size_t)length < sizeof(path))
			expand(walk, path, rest);
	}
	closedir(stream);
}

/* begin is there already; rest is a pattern below it, or empty. */
static void expand(struct walk *walk, const char *begin, const char *rest)
{
	char path[1024], pattern[128];

	snprintf(path, sizeof(path), "%s", begin);
	while (*rest) {
		size_t length = strcspn(rest, "/"), used = strlen(path);

		snprintf(pattern, sizeof(pattern), "%.*s", (int)length, rest);
		rest += length + (rest[length] == '/');
		if (strchr(pattern, '*')) {
			expand_directory(walk, path, pattern, rest);
			return;
		}
		if (used + length + 2 > sizeof(path))
			return;
		snprintf(path + used, sizeof(path) - used, "%s%s", used ? "/" : "", pattern);
	}
	visit_file(walk, path);
}

int library_places_below(const char *prefix, library_visitor visit, void *context)
{
	struct walk walk = {.visit = visit, .context = context};

	walk.root = open(prefix, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (walk.root < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(prefix_places) / sizeof(prefix_places[0]); i++)
		expand(&walk, "", prefix_places[i]);
	close(walk.root);
	return walk.entries < MAX_ENTRIES ? 0 : -E2BIG;
}

/* Of the process, or with 0 the machine's own. 0 or -errno. */
static int open_root(struct walk *walk, pid_t pid)
{
	if (pid)
		snprintf(walk->root_path, sizeof(walk->root_path), "/proc/%d/root", pid);
	walk->root = open(pid ? walk->root_path : "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return walk->root < 0 ? -errno : 0;
}

int library_places(pid_t pid, library_visitor visit, void *context)
{
	struct walk walk = {.visit = visit, .context = context};
	int err = open_root(&walk, pid);

	if (err < 0)
		return err;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		expand(&walk, "", places[i]);
	close(walk.root);
	return walk.entries < MAX_ENTRIES ? 0 : -E2BIG;
}

int cupti_places(library_visitor visit, void *context)
{
	struct walk walk = {.cupti = true, .visit = visit, .context = context};
	int err = open_root(&walk, 0);

	if (err < 0)
		return err;
	for (size_t i = 0; i < sizeof(places_of_cupti) / sizeof(places_of_cupti[0]); i++)
		expand(&walk, "", places_of_cupti[i]);
	close(walk.root);
	return walk.entries < MAX_ENTRIES ? 0 : -E2BIG;
}

int cupti_places_beside(pid_t pid, const char *runtime, library_visitor visit, void *context)
{
	static const char *const beside[] = {CUPTI_BESIDE_RUNTIME};
	struct walk walk = {.cupti = true, .visit = visit, .context = context};
	unsigned int major = cuda_major(runtime);
	const char *slash = strrchr(runtime, '/');
	char folder[1024], pattern[128];
	int err;

	if (!major || !slash || (size_t)(slash - runtime) >= sizeof(folder))
		return -ENOENT;
	err = open_root(&walk, pid);
	if (err < 0)
		return err;
	snprintf(folder, sizeof(folder), "%.*s", (int)(slash - runtime), runtime);
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++) {
		/* libcupti.so.11.8, but libcupti.so.12 */
		snprintf(pattern, sizeof(pattern), "%slibcupti.so.%u%s", beside[i], major,
			 major == 11 ? ".*" : "");
		expand(&walk, folder, pattern);
	}
	close(walk.root);
	return 0;
}
