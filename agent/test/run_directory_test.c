// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What a run writes of itself, and what a watcher reads of it meanwhile: each line once, in order. */
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../src/cli/runs/run_directory.h"
#include "../src/cli/watch/watch_lines.h"

#define EVENTS_MAX (4 << 20)

struct heard {
	int lines, last, progress;
};

static void hear(void *context, const char *line, size_t length)
{
	struct heard *heard = context;
	int number = -1;
	const char *found = strstr(line, "\"number\":");

	assert(line[length - 1] == '\n' && found);
	sscanf(found, "\"number\":%d", &number);
	assert(number > heard->last);
	heard->last = number;
	heard->lines++;
	heard->progress += memmem(line, length, "\"progress\"", 10) != NULL;
}

static void say_event(struct run_directory *run, const char *event, int number, size_t filler)
{
	char *line = malloc(filler + 200);
	int length = sprintf(line, "{\"v\":1,\"event\":\"%s\",\"number\":%d,\"text\":\"%0*d\"}",
			     event, number, (int)filler, 0);

	run_directory_event(run, event, line, (size_t)length);
	free(line);
}

static long events_bytes(const struct run_directory *run)
{
	struct stat stat;

	assert(!fstat(run->events_fd, &stat));
	return stat.st_size;
}

static struct watched_lines watch(const struct run_directory *run, struct heard *heard)
{
	struct watched_lines lines = {.give = hear, .context = heard};

	*heard = (struct heard){.last = -1};
	watched_lines_open(&lines, dup(run->fd));
	return lines;
}

/* Looked at after each line, none is missed; looked at seldom, progress is. */
static void gives_each_line_once(struct run_directory *run)
{
	struct heard often, seldom;
	struct watched_lines attentive = watch(run, &often), sleepy = watch(run, &seldom);

	for (int number = 0; number < 400; number++) {
		say_event(run, number % 7 ? "progress" : "notice", number, (size_t)number);
		watched_lines_look(&attentive);
		watched_lines_look(&attentive);
		if (number % 10 == 9)
			watched_lines_look(&sleepy);
	}
	say_event(run, "finished", 400, 10);
	watched_lines_look(&attentive);
	watched_lines_look(&sleepy);
	assert(often.lines == 401 && attentive.finished);
	/* All notices, the end, and of the progress what was newest when it looked. */
	assert(seldom.lines - seldom.progress == 59 && seldom.progress >= 30 && sleepy.finished);
	watched_lines_close(&attentive);
	watched_lines_close(&sleepy);
}

/* However much is said, the folder stays small, and what is said last can be heard. */
static void stays_small(struct run_directory *run)
{
	struct heard heard;
	struct watched_lines lines = watch(run, &heard);

	for (int number = 1000; number < 1200; number++)
		say_event(run, "notice", number, 60000);
	assert(events_bytes(run) <= EVENTS_MAX && events_bytes(run) > EVENTS_MAX - 70000);
	watched_lines_look(&lines);
	assert(heard.last == 1199);
	say_event(run, "finished", 1200, 60000);
	watched_lines_look(&lines);
	assert(heard.last == 1200 && lines.finished);
	watched_lines_close(&lines);
}

static void keeps_room_for_what_matters(const char *base)
{
	char message[256];
	struct run_directory run;

	assert(!run_directory_create(base, &run, message, sizeof(message)));
	for (int number = 0; number < 100; number++) {
		run.kept_progress_ns = 0;
		say_event(&run, "progress", number, 60000);
	}
	assert(events_bytes(&run) <= 3 << 20);
	say_event(&run, "notice", 100, 60000);
	assert(events_bytes(&run) > (3 << 20) - 60000);
	run_directory_remove(&run);
	run_directory_close(&run);
}

int main(void)
{
	char base[] = "/tmp/stalltrace-runs-XXXXXX", message[256];
	struct run_directory run;

	assert(mkdtemp(base));
	assert(!run_directory_create(base, &run, message, sizeof(message)));
	gives_each_line_once(&run);
	stays_small(&run);
	run_directory_remove(&run);
	run_directory_close(&run);
	keeps_room_for_what_matters(base);
	assert(!rmdir(base));
	return 0;
}
