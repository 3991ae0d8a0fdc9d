// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "run_directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../../host/file_text.h"
#include "../../clock.h"
#include "../../host/proc.h"
#include "../commands.h"
#include "../text/json.h"

/* Runs live in memory file systems: a day of progress must not fill them. */
#define EVENTS_MAX_BYTES (4u << 20)
/* A day of it is more: what matters has the rest. */
#define EVENTS_MAX_PROGRESS_BYTES (3u << 20)
#define KEEP_PROGRESS_EVERY_NS (10 * NS_PER_SECOND)

static const char *const files[] = {
	"run.json", "heartbeat.json", "finished.json",       "events.ndjson",
	"log",      "run.json.part",  "heartbeat.json.part", "finished.json.part"};

int read_boot_id(char out[40])
{
	ssize_t length = file_text_line("/proc/sys/kernel/random/boot_id", out, 40);

	if (length < 0)
		return (int)length;
	return length ? 0 : -EIO;
}

int process_start_ticks(int pid, uint64_t *out)
{
	struct proc_stat stat;
	int err = proc_read_stat(pid, 0, &stat);

	if (err)
		return err;
	if (stat.state == 'Z' || stat.state == 'X')
		return -ESRCH;
	*out = stat.start_ticks;
	return 0;
}

static int open_base(const char *path, int make)
{
	struct stat stat;
	int fd;

	if (make && mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	/* Someone else may have made it first: in /tmp anyone can. */
	if (fstat(fd, &stat) || stat.st_uid != geteuid() || (stat.st_mode & 077)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

int run_base_open(const char *base, int make, char path[PATH_MAX], char *message, size_t size)
{
	const char *runtime = geteuid() ? getenv("XDG_RUNTIME_DIR") : "/run";
	int fd = -ENOENT;

	if (base) {
		snprintf(path, PATH_MAX, "%s", base);
		fd = open_base(path, make);
	} else {
		if (runtime && runtime[0] == '/') {
			snprintf(path, PATH_MAX, "%s/stalltrace", runtime);
			fd = open_base(path, make);
		}
		if (fd < 0) {
			snprintf(path, PATH_MAX, "/tmp/stalltrace-%u", geteuid());
			fd = open_base(path, make);
		}
	}
	if (fd == -EPERM || fd == -ELOOP || fd == -ENOTDIR)
		snprintf(
			message, size,
			"%.200s is not a folder that only user %u can enter: remove it, or name another with --run-dir.",
			path, geteuid());
	else if (fd < 0)
		snprintf(message, size,
			 "%.200s can't be used to keep runs (%s): name another with --run-dir.",
			 path, strerror(-fd));
	return fd;
}

static int make_folder(struct run_directory *run)
{
	unsigned char random[RUN_ID_LENGTH / 2];

	if (getrandom(random, sizeof(random), 0) != sizeof(random))
		return -EIO;
	for (size_t i = 0; i < sizeof(random); i++)
		snprintf(run->id + 2 * i, 3, "%02x", random[i]);
	if (mkdirat(run->base_fd, run->id, 0700))
		return -errno;
	run->fd = openat(run->base_fd, run->id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return run->fd < 0 ? -errno : 0;
}

void run_directory_none(struct run_directory *out)
{
	memset(out, 0, sizeof(*out));
	out->fd = out->base_fd = out->events_fd = -1;
}

int run_directory_create(const char *base, struct run_directory *out, char *message, size_t size)
{
	char path[PATH_MAX];
	int err;

	run_directory_none(out);
	out->base_fd = run_base_open(base, 1, path, message, size);
	if (out->base_fd < 0)
		return out->base_fd;
	err = make_folder(out);
	if (!err) {
		out->events_fd = openat(out->fd, "events.ndjson",
					O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		err = out->events_fd < 0 ? -errno : 0;
	}
	if (!err && snprintf(out->path, sizeof(out->path), "%s/%s", path, out->id) >= PATH_MAX)
		err = -ENAMETOOLONG;
	if (!err)
		return 0;
	snprintf(message, size,
		 "No folder can be made in %.200s (%s): name another with --run-dir.", path,
		 strerror(-err));
	run_directory_remove(out);
	run_directory_close(out);
	return err;
}

/* Readers see the old text or the new one, never a part. */
static int replace_file(int directory, const char *name, const char *text, size_t length)
{
	char part[32];
	int fd, err;

	snprintf(part, sizeof(part), "%s.part", name);
	fd = openat(directory, part, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text, length);
	if (!err)
		err = write_all(fd, "\n", 1);
	close(fd);
	if (!err && renameat(directory, part, directory, name))
		err = -errno;
	if (err)
		unlinkat(directory, part, 0);
	return err;
}

int run_directory_describe(struct run_directory *run, const char *file, const char *options_json)
{
	struct json json = {0};
	uint64_t ticks = 0;
	char boot[40] = "";
	int err;

	if (run->fd < 0)
		return 0;
	err = read_boot_id(boot);
	if (!err)
		err = process_start_ticks(getpid(), &ticks);
	json_open_object(&json, NULL);
	json_integer(&json, "v", 1);
	json_text(&json, "agent", AGENT_VERSION);
	json_integer(&json, "protocol", AGENT_PROTOCOL);
	json_text(&json, "run_id", run->id);
	json_integer(&json, "pid", getpid());
	json_unsigned(&json, "start_ticks", ticks);
	json_text(&json, "boot_id", boot);
	json_unsigned(&json, "started_unix_ns", (uint64_t)time(NULL) * NS_PER_SECOND);
	json_text(&json, "file", file);
	json_raw(&json, "options", options_json ? options_json : "null");
	json_close_object(&json);
	if (!err)
		err = json.failed ? -ENOMEM :
				    replace_file(run->fd, "run.json", json.text, json.length);
	json_free(&json);
	return err;
}

/*
 * `watch` prints the newest line in its place: after the first events_bytes of events.ndjson, unless it
 * is their end already (in_events).
 */
static void beat(struct run_directory *run, const char *line, bool in_events)
{
	struct json json = {0};

	json_open_object(&json, NULL);
	json_integer(&json, "v", 1);
	json_unsigned(&json, "boot_ns", clock_ns(CLOCK_BOOTTIME));
	json_unsigned(&json, "line", run->lines);
	json_unsigned(&json, "events_bytes", run->events_bytes);
	json_boolean(&json, "in_events", in_events);
	json_raw(&json, "last", line);
	json_close_object(&json);
	if (!json.failed)
		replace_file(run->fd, "heartbeat.json", json.text, json.length);
	json_free(&json);
}

/* Whether the whole line is there now; a part of one that a full disk left is taken back. */
static bool keep_line(struct run_directory *run, const char *line, size_t length, uint64_t most)
{
	if (run->events_bytes + length + 1 > most)
		return false;
	if (write_all(run->events_fd, line, length) || write_all(run->events_fd, "\n", 1)) {
		if (ftruncate(run->events_fd, (off_t)run->events_bytes))
			run->events_bytes = EVENTS_MAX_BYTES;
		return false;
	}
	run->events_bytes += length + 1;
	return true;
}

void run_directory_event(struct run_directory *run, const char *event, const char *line,
			 size_t length)
{
	bool progress = !strcmp(event, "progress"), kept = false;
	uint64_t now = clock_ns(CLOCK_BOOTTIME);

	if (run->fd < 0)
		return;
	run->lines++;
	if (!progress)
		kept = keep_line(run, line, length, EVENTS_MAX_BYTES);
	else if (now - run->kept_progress_ns >= KEEP_PROGRESS_EVERY_NS)
		kept = keep_line(run, line, length, EVENTS_MAX_PROGRESS_BYTES);
	if (progress && kept)
		run->kept_progress_ns = now;
	if (!strcmp(event, "finished"))
		replace_file(run->fd, "finished.json", line, length);
	beat(run, line, kept);
}

int run_directory_open_log(const struct run_directory *run)
{
	int fd = openat(run->fd, "log", O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

int run_folder_remove(int base_fd, const char *id)
{
	int fd = openat(base_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		unlinkat(fd, files[i], 0);
	close(fd);
	return unlinkat(base_fd, id, AT_REMOVEDIR) ? -errno : 0;
}

void run_directory_remove(struct run_directory *run)
{
	if (run->base_fd >= 0 && run->id[0])
		run_folder_remove(run->base_fd, run->id);
}

void run_directory_close(struct run_directory *run)
{
	int fds[] = {run->events_fd, run->fd, run->base_fd};

	for (size_t i = 0; i < 3; i++)
		if (fds[i] >= 0)
			close(fds[i]);
	run->fd = run->base_fd = run->events_fd = -1;
}
