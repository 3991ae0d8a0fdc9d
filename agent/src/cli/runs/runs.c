// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "runs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "../../clock.h"
#include "../text/json_read.h"

#define FILE_MAX_BYTES (256u << 10)
#define MOST_RUNS 1000
#define STARTED_WITHIN_S 60
#define KEPT_S (7 * 24 * 3600)

const char *run_state_name(enum run_state state)
{
	static const char *const names[] = {"running", "finished", "died", "rebooted",
					    "unreadable"};

	return names[state];
}

static bool run_id_is_valid(const char *id)
{
	return strlen(id) == RUN_ID_LENGTH && strspn(id, "0123456789abcdef") == RUN_ID_LENGTH;
}

char *run_folder_read(int folder, const char *name)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	char *text = malloc(FILE_MAX_BYTES + 1);
	size_t length = 0;
	ssize_t got = 1;
	struct stat stat;

	if (text && fd >= 0 && !fstat(fd, &stat) && S_ISREG(stat.st_mode))
		while (length < FILE_MAX_BYTES && got > 0) {
			got = read(fd, text + length, FILE_MAX_BYTES - length);
			length += got > 0 ? got : 0;
		}
	if (fd >= 0)
		close(fd);
	if (!text)
		return NULL;
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (!json_is_object(text))
		memcpy(text, "null", sizeof("null"));
	return text;
}

static void free_texts(struct run *run)
{
	free(run->about);
	free(run->last);
	free(run->finished);
	run->about = run->last = run->finished = NULL;
}

/* A pid comes again, with another start; both come again after a boot. */
static void judge(struct run *run)
{
	uint64_t pid, beat, ticks, now = clock_ns(CLOCK_BOOTTIME);
	char boot[40], this_boot[40] = "";

	run->state = RUN_UNREADABLE;
	run->heartbeat_age_ns = -1;
	run->process_alive = false;
	read_boot_id(this_boot);
	if (json_find_unsigned(run->about, "pid", &pid) || pid < 1 || pid > INT32_MAX ||
	    json_find_unsigned(run->about, "start_ticks", &run->start_ticks) ||
	    json_find_text(run->about, "boot_id", boot, sizeof(boot)))
		return;
	run->pid = (pid_t)pid;
	json_find_text(run->about, "file", run->file, sizeof(run->file));
	if (!strcmp(boot, this_boot)) {
		if (!json_find_unsigned(run->last, "boot_ns", &beat) && beat <= now)
			run->heartbeat_age_ns = (int64_t)(now - beat);
		run->process_alive = !process_start_ticks(run->pid, &ticks) &&
				     ticks == run->start_ticks;
	}
	if (strcmp(run->finished, "null"))
		run->state = RUN_FINISHED;
	else if (strcmp(boot, this_boot))
		run->state = RUN_REBOOTED;
	else
		run->state = run->process_alive ? RUN_RUNNING : RUN_DIED;
}

int runs_read_again(const struct runs *runs, struct run *run)
{
	int folder =
		openat(runs->base_fd, run->id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat stat;

	if (folder < 0 || fstat(folder, &stat))
		return -errno;
	run->age_s = time(NULL) - stat.st_mtime;
	free_texts(run);
	run->about = run_folder_read(folder, "run.json");
	run->last = run_folder_read(folder, "heartbeat.json");
	run->finished = run_folder_read(folder, "finished.json");
	close(folder);
	if (!run->about || !run->last || !run->finished)
		return -ENOMEM;
	judge(run);
	/* Between the two looks it may have ended: its last line is there then. */
	if (run->state == RUN_DIED) {
		folder = openat(runs->base_fd, run->id,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		free(run->finished);
		run->finished = folder < 0 ? NULL : run_folder_read(folder, "finished.json");
		if (folder >= 0)
			close(folder);
		if (!run->finished)
			return -ENOENT;
		judge(run);
	}
	return 0;
}

static int add(struct runs *runs, const char *id)
{
	struct run *grown = realloc(runs->run, (runs->count + 1) * sizeof(*grown));
	struct run *run;

	if (!grown)
		return -ENOMEM;
	runs->run = grown;
	run = &grown[runs->count];
	memset(run, 0, sizeof(*run));
	memcpy(run->id, id, RUN_ID_LENGTH);
	snprintf(run->path, sizeof(run->path), "%.4000s/%s", runs->base, id);
	/* A folder that went while it was read is a run nobody asks for. */
	if (runs_read_again(runs, run))
		free_texts(run);
	else
		runs->count++;
	return 0;
}

/* A run's folder before anything in it is read. */
struct found {
	char id[RUN_ID_LENGTH + 1];
	time_t changed_s;
};

static int by_change(const void *one, const void *other)
{
	const struct found *a = one, *b = other;

	if (a->changed_s != b->changed_s)
		return a->changed_s < b->changed_s ? 1 : -1;
	return strcmp(a->id, b->id);
}

static int find_folder(int base_fd, const char *id, struct found **list, size_t *count)
{
	struct found *grown;
	struct stat stat;

	if (!run_id_is_valid(id) || fstatat(base_fd, id, &stat, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISDIR(stat.st_mode))
		return 0;
	grown = realloc(*list, (*count + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	*list = grown;
	memcpy(grown[*count].id, id, RUN_ID_LENGTH + 1);
	grown[(*count)++].changed_s = stat.st_mtime;
	return 0;
}

/* What changed last comes first. */
static int find_folders(int base_fd, struct found **list, size_t *count)
{
	int fd = openat(base_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	int err = 0;

	if (!folder) {
		err = -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	while (!err && (entry = readdir(folder)))
		err = find_folder(base_fd, entry->d_name, list, count);
	closedir(folder);
	if (*count > 0)
		qsort(*list, *count, sizeof(**list), by_change);
	return err;
}

/* 0 too where there is none: base_fd is -1 then. */
static int open_base(const char *base, struct runs *out, char *message, size_t size)
{
	int fd;

	memset(out, 0, sizeof(*out));
	fd = run_base_open(base, 0, out->base, message, size);
	out->base_fd = fd < 0 ? -1 : fd;
	return fd == -ENOENT || fd >= 0 ? 0 : fd;
}

int runs_read(const char *base, const char *id, struct runs *out, char *message, size_t size)
{
	struct found *list = NULL;
	size_t count = 0;
	int err = open_base(base, out, message, size);

	if (err || out->base_fd < 0)
		return err;
	err = id ? find_folder(out->base_fd, id, &list, &count) :
		   find_folders(out->base_fd, &list, &count);
	out->left_out = count > MOST_RUNS ? count - MOST_RUNS : 0;
	for (size_t i = 0; !err && i < count - out->left_out; i++)
		err = add(out, list[i].id);
	free(list);
	return err;
}

bool run_is_over(const struct run *run)
{
	return run->state != RUN_RUNNING && !run->process_alive &&
	       (run->state != RUN_UNREADABLE || run->age_s >= STARTED_WITHIN_S);
}

void runs_forget_old(const char *base)
{
	time_t old_s = time(NULL) - KEPT_S;
	struct found *list = NULL;
	size_t count = 0;
	char message[256];
	struct runs runs;
	int err = open_base(base, &runs, message, sizeof(message));

	if (!err && runs.base_fd >= 0)
		err = find_folders(runs.base_fd, &list, &count);
	/* Those that changed longest ago are last. */
	while (!err && count-- > 0 && list[count].changed_s < old_s)
		err = add(&runs, list[count].id);
	for (size_t i = 0; i < runs.count; i++)
		if (run_is_over(&runs.run[i]) && runs.run[i].age_s > KEPT_S)
			run_folder_remove(runs.base_fd, runs.run[i].id);
	free(list);
	runs_free(&runs);
}

void runs_free(struct runs *runs)
{
	for (size_t i = 0; i < runs->count; i++)
		free_texts(&runs->run[i]);
	free(runs->run);
	if (runs->base_fd >= 0)
		close(runs->base_fd);
}

struct run *runs_find(struct runs *runs, const char *id, char *message, size_t size)
{
	struct run *found = NULL;
	size_t running = 0;

	for (size_t i = 0; i < runs->count; i++) {
		struct run *run = &runs->run[i];

		if (id && !strcmp(run->id, id))
			return run;
		if (!id && run->state == RUN_RUNNING) {
			found = run;
			running++;
		}
	}
	if (running == 1)
		return found;
	if (id)
		snprintf(message, size, "There is no run \"%.40s\" in %.200s.", id, runs->base);
	else if (!running)
		snprintf(message, size, "No capture of this user runs.");
	else
		snprintf(message, size, "%zu captures run: say which with --run.", running);
	return NULL;
}

void run_put(struct json *json, const struct run *run)
{
	json_open_object(json, NULL);
	json_text(json, "run_id", run->id);
	json_text(json, "run_directory", run->path);
	json_text(json, "state", run_state_name(run->state));
	if (run->pid)
		json_integer(json, "pid", run->pid);
	else
		json_null(json, "pid");
	json_boolean(json, "process_alive", run->process_alive);
	if (run->heartbeat_age_ns >= 0)
		json_integer(json, "heartbeat_age_ns", run->heartbeat_age_ns);
	else
		json_null(json, "heartbeat_age_ns");
	json_raw(json, "run", run->about);
	json_raw(json, "heartbeat", run->last);
	json_raw(json, "finished", run->finished);
	json_close_object(json);
}
