// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>
#include "../../clock.h"
#include "../../host/host.h"
#include "../arguments.h"
#include "../commands.h"
#include "../recording/events.h"
#include "../text/json.h"
#include "../runs/process_table.h"
#include "../text/terminal_text.h"
#include "../recording/user_database.h"

static const char help[] =
	"Usage: stalltrace-agent list [--json]\n"
	"\n"
	"Processes worth capturing, as trees: those that run Python, map a CUDA library or use a GPU,\n"
	"with their descendants. Secrets in command lines are left out.\n";

#define MAX_USERS 32

struct user_name {
	uid_t uid;
	char name[64];
};

struct user_names {
	struct user_name users[MAX_USERS];
	size_t count;
};

/* Asked once for each user. */
static const char *name_of_user(struct user_names *names, uid_t uid)
{
	struct user_name *user;
	char number[16], line[1024];

	for (size_t i = 0; i < names->count; i++) {
		if (names->users[i].uid == uid)
			return names->users[i].name;
	}
	user = &names->users[names->count < MAX_USERS ? names->count++ : MAX_USERS - 1];
	user->uid = uid;
	snprintf(number, sizeof(number), "%u", uid);
	snprintf(user->name, sizeof(user->name), "%s", number);
	if (!user_database_line(number, line, sizeof(line)))
		snprintf(user->name, sizeof(user->name), "%.*s", (int)strcspn(line, ":"), line);
	return user->name;
}

static int64_t start_unix_ns(const struct proc_facts *facts)
{
	return (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC) + facts->start_ns);
}

static void put_unless_negative(struct json *json, const char *key, int64_t value)
{
	if (value < 0)
		json_null(json, key);
	else
		json_integer(json, key, value);
}

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static void put_facts(struct json *json, const struct proc_facts *facts, struct user_names *names)
{
	json_text(json, "user", name_of_user(names, facts->uid));
	json_unsigned(json, "uid", facts->uid);
	json_text(json, "command_line", or_null(facts->command_line));
	json_text(json, "executable", or_null(facts->executable));
	json_integer(json, "namespace_pid", facts->namespace_pid);
	json_integer(json, "start_unix_ns", start_unix_ns(facts));
	json_text(json, "cgroup", or_null(facts->cgroup));
	json_text(json, "cpus_allowed", or_null(facts->cpus_allowed));
	if (facts->cpu_quota > 0)
		json_number(json, "cpu_quota", facts->cpu_quota);
	else
		json_null(json, "cpu_quota");
	put_unless_negative(json, "rank", facts->rank);
	put_unless_negative(json, "local_rank", facts->local_rank);
	put_unless_negative(json, "world_size", facts->world_size);
	json_boolean(json, "seccomp", facts->seccomp != 0);
}

static void put_process(struct json *json, const struct listed_process *process,
			struct user_names *names)
{
	json_open_object(json, NULL);
	json_integer(json, "pid", process->stat.pid);
	json_integer(json, "parent_pid", process->stat.parent);
	json_unsigned(json, "depth", process->depth);
	json_text(json, "name", process->stat.comm);
	json_text(json, "role", process->role.role ? process->role.role : "other");
	json_text(json, "role_basis", process->role.basis);
	json_unsigned(json, "threads", process->stat.threads);
	if (process->cpu_percent >= 0)
		json_number(json, "cpu_percent", process->cpu_percent);
	else
		json_null(json, "cpu_percent");
	json_unsigned(json, "rss_bytes", process->stat.rss_bytes);
	json_boolean(json, "maps_cuda", process->maps_cuda);
	json_boolean(json, "uses_gpu", process->uses_gpu);
	put_unless_negative(json, "gpu_memory_bytes", process->gpu_memory_bytes);
	json_text(json, "container", or_null(process->container));
	if (process->facts)
		put_facts(json, process->facts, names);
	json_close_object(json);
}

static int print_json(const struct process_table *table, const char *gpu_detail)
{
	struct user_names *names = calloc(1, sizeof(*names));
	struct json json = {0};
	int err = -ENOMEM;

	if (names) {
		json_open_object(&json, NULL);
		json_text(&json, "gpu_detail", or_null(gpu_detail));
		json_open_array(&json, "processes");
		for (size_t i = 0; i < table->count; i++)
			put_process(&json, &table->processes[i], names);
		json_close_array(&json);
		json_close_object(&json);
		err = json_print_line(&json, STDOUT_FILENO);
		json_free(&json);
	}
	free(names);
	return err ? 1 : 0;
}

/* Whether the branch at that depth goes on below the process. */
static bool branch_goes_on(const struct process_table *table, size_t index, unsigned int depth)
{
	for (size_t i = index + 1; i < table->count && table->processes[i].depth >= depth; i++) {
		if (table->processes[i].depth == depth)
			return true;
	}
	return false;
}

static void draw_branches(const struct process_table *table, size_t index)
{
	unsigned int depth = table->processes[index].depth;

	for (unsigned int level = 1; level < depth; level++)
		fputs(branch_goes_on(table, index, level) ? "│  " : "   ", stdout);
	if (depth)
		fputs(branch_goes_on(table, index, depth) ? "├─ " : "└─ ", stdout);
}

static int terminal_columns(void)
{
	struct winsize size;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
			       size.ws_col > 40 ?
		       size.ws_col :
		       160;
}

static void draw_process(const struct process_table *table, size_t index, struct user_names *names,
			 int columns)
{
	const struct listed_process *process = &table->processes[index];
	const struct proc_facts *facts = process->facts;
	const char *command = facts && facts->command_line[0] ? facts->command_line :
								process->stat.comm;
	char text[512], name[64], user[64];
	int used = 3 * (int)process->depth + 66;

	terminal_text(process->stat.comm, name, sizeof(name), 15);
	terminal_text(command, text, sizeof(text), columns > used + 20 ? columns - used : 20);
	terminal_text(facts ? name_of_user(names, facts->uid) : "?", user, sizeof(user), 10);
	printf("%8d %-10s ", process->stat.pid, user);
	if (process->cpu_percent >= 0)
		printf("%5.0f %%", process->cpu_percent);
	else
		printf("%7s", "-");
	printf(" %7.1f MB %4llu thr %-4s ", (double)process->stat.rss_bytes / 1e6,
	       (unsigned long long)process->stat.threads,
	       process->uses_gpu  ? "GPU" :
	       process->maps_cuda ? "cuda" :
				    "");
	draw_branches(table, index);
	printf("%s: %s", name, text);
	if (process->role.role)
		printf("  [%s: %s]", process->role.role, process->role.basis);
	if (process->container[0])
		printf("  (%s)", process->container);
	putchar('\n');
}

static int print_trees(const struct process_table *table, const char *gpu_detail)
{
	struct user_names *names = calloc(1, sizeof(*names));
	int columns = terminal_columns();

	if (!names)
		return 1;
	if (table->count == 0)
		printf("No process here runs Python, maps a CUDA library or uses a GPU.\n");
	for (size_t i = 0; i < table->count; i++)
		draw_process(table, i, names, columns);
	if (gpu_detail[0])
		printf("\nProcesses that use a GPU are not known: %s\n", gpu_detail);
	free(names);
	return ferror(stdout) || fflush(stdout) ? 1 : 0;
}

int command_list(int argc, char **argv)
{
	struct process_table table;
	char path[4096], detail[256] = "";
	const char *nvidia_smi;
	bool json = false;
	int code = arguments_json_only(argc, argv, help, &json), err;

	if (code != ARGUMENTS_END)
		return code;
	nvidia_smi = gpu_find_program(NULL, path, sizeof(path), detail, sizeof(detail));
	err = process_table_read(nvidia_smi, &table);
	if (err) {
		say("Processes can't be listed: %s.", strerror(-err));
		return 1;
	}
	code = json ? print_json(&table, nvidia_smi ? "" : detail) :
		      print_trees(&table, nvidia_smi ? "" : detail);
	process_table_free(&table);
	return code;
}
