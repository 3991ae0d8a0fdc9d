// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include <bpf/libbpf.h>
#include <sqlite3.h>
#include <stdio.h>
#include <unistd.h>
#include "../../generated/schema.h"
#include "arguments.h"
#include "commands.h"
#include "text/json.h"

static const char help[] = "Usage: stalltrace-agent version [--json]\n";

#if defined(__x86_64__)
#define ARCHITECTURE "x64"
#elif defined(__aarch64__)
#define ARCHITECTURE "arm64"
#else
#error "no BPF programs are built for this architecture"
#endif

static int print_json(void)
{
	struct json json = {0};
	int err;

	json_open_object(&json, NULL);
	json_text(&json, "agent", AGENT_VERSION);
	json_integer(&json, "protocol", AGENT_PROTOCOL);
	json_integer(&json, "format", TRACE_FORMAT_VERSION);
	json_text(&json, "arch", ARCHITECTURE);
	json_text(&json, "libbpf", libbpf_version_string());
	json_text(&json, "sqlite", sqlite3_libversion());
#ifdef AGENT_COMMIT
	json_text(&json, "commit", AGENT_COMMIT);
#endif
	json_close_object(&json);
	err = json_print_line(&json, STDOUT_FILENO);
	json_free(&json);
	return err ? 1 : 0;
}

int command_version(int argc, char **argv)
{
	bool json = false;
	int code = arguments_json_only(argc, argv, help, &json);

	if (code != ARGUMENTS_END)
		return code;
	if (json)
		return print_json();
	printf("stalltrace-agent %s (%s), protocol %d, format %d, libbpf %s, SQLite %s\n",
	       AGENT_VERSION, ARCHITECTURE, AGENT_PROTOCOL, TRACE_FORMAT_VERSION,
	       libbpf_version_string() + 1, sqlite3_libversion());
	return 0;
}
