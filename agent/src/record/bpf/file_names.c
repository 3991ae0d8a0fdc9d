// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include "../../clock.h"
#include "../../host/proc.h"
#include "faulted_files.h"
#include "file_names.h"
#include "look_ups.h"
#include "polled_socket.h"
#include "shared_futexes.h"
#include "socket_names.h"
#include "syscall_names.h"

/* Powers of two; a clash forgets the older one. */
#define NAMES 4096
#define FAILURES 1024
#define MOUNTS 64
#define POLLED 64

/* A name is looked up again after this long: files are renamed and deleted. */
#define RENEW_NS NS_PER_SECOND
/* How long a name that can't be looked up again holds where inode numbers are used again. */
#define HOLD_NS (10 * NS_PER_SECOND)
/* A look-up takes some 15 us: of a job that opens ten thousand files a second not all are named. */
#define LOOK_UPS_A_SECOND 2000

/*
 * What an epoll instance watches takes a look at the machine's connections, some ms. It is worth that for a wait of this
 * length, and the next look waits so many times as long: looks take 5 % of a CPU at the most.
 */
#define WORTH_NS 1000000ull

struct named_file {
	union file_identity file;
	unsigned int
		name_hash; /* where inodes are used again, its name tells one file from the next */
	uint64_t proved_ns;
	int64_t name;
};

/* What could not be named, so that it isn't tried again at each wait. */
struct failure {
	union file_identity file;
	unsigned int name_hash;
	pid_t pid;
	int fd;
	uint64_t looked_ns;
};

/* What the waits for an epoll instance are for. */
struct polled {
	pid_t pid;
	int fd;
	uint64_t looked_ns; /* 0 = free */
	bool is_one;        /* all that it watches lead to one peer, by `socket` */
	union file_identity socket;
};

struct mount {
	pid_t pid; /* 0 = free */
	unsigned int id;
	uint64_t read_ns;
	char type[MOUNT_TEXT];
};

struct file_names {
	struct trace_writer *writer;
	unsigned int pipe_mount;
	int64_t pipe; /* name id, TRACE_NULL = not made yet */
	struct look_ups look_ups;
	struct named_file names[NAMES];
	struct failure failures[FAILURES];
	struct mount mounts[MOUNTS];
	struct polled polled[POLLED];
	uint64_t next_poll_look_ns; /* CLOCK_MONOTONIC */
	struct faulted_files *faulted;
	struct shared_futexes *futexes;
	struct socket_names *sockets;
};

/* Closes fd. */
static unsigned int mount_of_own(int fd)
{
	struct proc_fd file;
	unsigned int mount = fd >= 0 && !proc_read_fd(getpid(), fd, &file) ? file.mount : 0;

	if (fd >= 0)
		close(fd);
	return mount;
}

unsigned int anonymous_mount(void)
{
	return mount_of_own(eventfd(0, EFD_CLOEXEC));
}

struct file_names *file_names_new(struct trace_writer *writer)
{
	struct file_names *names = calloc(1, sizeof(*names));
	int ends[2];

	if (!names)
		return NULL;
	names->writer = writer;
	names->faulted = faulted_files_new(writer);
	names->futexes = shared_futexes_new(writer);
	names->sockets = socket_names_new(writer);
	if (!names->faulted || !names->futexes || !names->sockets) {
		file_names_free(names);
		return NULL;
	}
	names->pipe = TRACE_NULL;
	if (!pipe2(ends, O_CLOEXEC)) {
		names->pipe_mount = mount_of_own(ends[0]);
		close(ends[1]);
	}
	return names;
}

void file_names_free(struct file_names *names)
{
	if (!names)
		return;
	faulted_files_free(names->faulted);
	shared_futexes_free(names->futexes);
	socket_names_free(names->sockets);
	free(names);
}

static bool is_same(const union file_identity *a, const union file_identity *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static const char *mount_type(struct file_names *names, pid_t pid, unsigned int id, uint64_t now_ns)
{
	struct mount *mount = &names->mounts[((unsigned int)pid * 31 + id) & (MOUNTS - 1)];

	if (mount->pid != pid || mount->id != id || now_ns >= mount->read_ns + RENEW_NS) {
		*mount = (struct mount){.pid = pid, .id = id, .read_ns = now_ns};
		proc_mount_type(pid, id, mount->type, sizeof(mount->type));
	}
	return mount->type;
}

/* "[eventfd]" → "eventfd", "pidfd:[123]" → "pidfd": the numbers tell nobody anything. */
static int64_t special_name(struct file_names *names, const char *link)
{
	char text[64];

	link += !strncmp(link, "anon_inode:", 11) ? 11 : 0;
	link += link[0] == '[';
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(link, ":]"), link);
	return trace_name(names->writer, "", text);
}

static int64_t path_name(struct file_names *names, const struct off_cpu_record *record,
			 const struct proc_fd *found, uint64_t now_ns)
{
	char text[sizeof(found->path) + MOUNT_TEXT + 4];
	const char *type = record->file_type == FILE_FIFO ?
				   "named pipe" :
				   mount_type(names, (pid_t)record->tgid, found->mount, now_ns);

	snprintf(text, sizeof(text), type[0] ? "%s (%s)" : "%s", found->path, type);
	return trace_name(names->writer, "", text);
}

static bool ends_in(const char *name, size_t length, unsigned int hash)
{
	__u64 words[FILE_NAME_HASHED / 8] = {0};

	memcpy(words, name, length < sizeof(words) ? length : sizeof(words) - 1);
	return file_name_hash(words) == hash;
}

/* Whether that path can be of the file that was opened by a name of that hash; 0 = by one that isn't known. */
static bool is_named(const char *path, unsigned int hash)
{
	static const char gone[] = " (deleted)";
	const char *name = strrchr(path, '/');
	size_t length, cut = sizeof(gone) - 1;

	if (!hash || !name)
		return true;
	length = strlen(++name);
	return ends_in(name, length, hash) || (length > cut && !strcmp(name + length - cut, gone) &&
					       ends_in(name, length - cut, hash));
}

/* TRACE_NULL where the descriptor does not stand for that file any more. */
static int64_t look_up(struct file_names *names, const struct off_cpu_record *record,
		       uint64_t now_ns)
{
	pid_t pid = (pid_t)record->tgid;
	int fd = (int)record->syscall_arguments[0];
	unsigned int at = ((unsigned int)pid * 31 + (unsigned int)fd) & (FAILURES - 1);
	struct failure *failure = &names->failures[at];
	struct proc_fd found;

	/* Of a poll() the number of the descriptor was not passed on. */
	if (!syscall_takes_descriptor(record->syscall))
		return TRACE_NULL;
	if (failure->pid == pid && failure->fd == fd && is_same(&failure->file, &record->file) &&
	    failure->name_hash == record->name_hash && now_ns < failure->looked_ns + RENEW_NS)
		return TRACE_NULL;
	if (!may_look(&names->look_ups, now_ns, LOOK_UPS_A_SECOND))
		return TRACE_NULL;
	if (!proc_read_fd(pid, fd, &found) && found.inode == record->file.inode &&
	    found.mount == record->file.mount && is_named(found.path, record->name_hash))
		return found.path[0] == '/' ? path_name(names, record, &found, now_ns) :
					      special_name(names, found.path);
	*failure = (struct failure){.file = record->file,
				    .name_hash = record->name_hash,
				    .pid = pid,
				    .fd = fd,
				    .looked_ns = now_ns};
	return TRACE_NULL;
}

static int64_t kind_name(struct file_names *names, unsigned int type)
{
	static const char *const kinds[FILE_ANONYMOUS + 1] = {
		[FILE_FIFO] = "named pipe",      [FILE_CHARACTER] = "character device",
		[FILE_DIRECTORY] = "directory",  [FILE_BLOCK] = "block device",
		[FILE_REGULAR] = "regular file",
	};
	const char *kind = type <= FILE_ANONYMOUS ? kinds[type] : NULL;

	return kind ? trace_name(names->writer, "", kind) : TRACE_NULL;
}

/* Made once: most waits are for one. */
static int64_t pipe_name(struct file_names *names)
{
	if (names->pipe == TRACE_NULL)
		names->pipe = trace_name(names->writer, "", "pipe");
	return names->pipe;
}

/*
 * The connection that a wait for an epoll instance was for; NULL where that is not known. What came over a network
 * woke it: a thread of its own, or a timer, says nothing of the connections that it watches besides.
 */
static const union file_identity *find_polled(struct file_names *names,
					      const struct off_cpu_record *record)
{
	uint64_t now_ns = record->start_ns + record->duration_ns, begin_ns, end_ns;
	pid_t pid = (pid_t)record->tgid;
	int fd = (int)record->syscall_arguments[0];
	unsigned int at = ((unsigned int)pid * 31 + (unsigned int)fd) & (POLLED - 1);
	struct polled *polled = &names->polled[at];

	if (record->waker_context != WAKE_SOFTIRQ || !syscall_takes_descriptor(record->syscall) ||
	    memcmp(record->file.name, "[eventpoll]", sizeof("[eventpoll]")) != 0)
		return NULL;
	if (!polled->looked_ns || polled->pid != pid || polled->fd != fd ||
	    now_ns >= polled->looked_ns + RENEW_NS) {
		begin_ns = clock_ns(CLOCK_MONOTONIC);
		if (record->duration_ns < WORTH_NS || begin_ns < names->next_poll_look_ns)
			return NULL;
		*polled = (struct polled){.pid = pid, .fd = fd, .looked_ns = now_ns};
		polled->is_one = !polled_socket(pid, fd, &polled->socket);
		end_ns = clock_ns(CLOCK_MONOTONIC);
		names->next_poll_look_ns = end_ns + PAUSE_TIMES * (end_ns - begin_ns);
	}
	return polled->is_one ? &polled->socket : NULL;
}

static int64_t find_name(struct file_names *names, const struct off_cpu_record *record)
{
	const union file_identity *file = &record->file;
	uint64_t now_ns = record->start_ns + record->duration_ns;
	unsigned int at = (unsigned int)(file->inode * 31 + file->mount + file->generation +
					 record->name_hash);
	struct named_file *known = &names->names[at & (NAMES - 1)];
	bool is_known = is_same(&known->file, file) && known->name_hash == record->name_hash;
	int64_t name;

	if (is_known && now_ns < known->proved_ns + RENEW_NS)
		return known->name;
	name = record->file_type == FILE_ANONYMOUS ? special_name(names, file->name) :
						     look_up(names, record, now_ns);
	if (name != TRACE_NULL) {
		*known = (struct named_file){.file = *file,
					     .name_hash = record->name_hash,
					     .proved_ns = now_ns,
					     .name = name};
		return name;
	}
	if (is_known && (file->generation || now_ns < known->proved_ns + HOLD_NS))
		return known->name;
	return kind_name(names, record->file_type);
}

int64_t file_name(struct file_names *names, const struct off_cpu_record *record)
{
	if (is_shared_futex(record))
		return shared_futex_name(names->futexes, record);
	if (record->file_type == FILE_UNKNOWN)
		return TRACE_NULL;
	if (record->file_type == FILE_MAPPED)
		return faulted_file_name(names->faulted, record);
	if (record->file_type == FILE_SOCKET)
		return socket_name(names->sockets, record);
	if (record->file_type == FILE_ANONYMOUS) {
		const union file_identity *polled = find_polled(names, record);
		struct off_cpu_record on_socket = *record;

		if (polled) {
			on_socket.file = *polled;
			return socket_name(names->sockets, &on_socket);
		}
	}
	if (record->file_type == FILE_FIFO && names->pipe_mount &&
	    record->file.mount == names->pipe_mount)
		return pipe_name(names);
	return find_name(names, record);
}
