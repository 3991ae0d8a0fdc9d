// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * redact_arguments: what must go, and what must stay as it is. Arguments are separated by '|' here;
 * most cases are in fixtures/secrets.txt and fixtures/secrets_held_out.txt, which say how.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../src/host/proc.h"

#define R "[redacted]"

static const struct {
	const char *given, *wanted; /* NULL = unchanged */
} cases[] = {
	/* options */
	{"train.py|--token|abc|--lr|0.1", "train.py|--token|" R "|--lr|0.1"},
	{"train.py|--hf-token=abc|x", "train.py|--hf-token=" R "|x"},
	{"x|--password|my pass; word|--seed|3", "x|--password|" R "|--seed|3"},
	{"x|--password=my pass; word|--seed|3", "x|--password=" R "|--seed|3"},
	{"x|--db-password|1234", "x|--db-password|" R},
	{"x|--apiKey|k|--dbPassword|p", "x|--apiKey|" R "|--dbPassword|" R},
	{"x|--api_key=k", "x|--api_key=" R},
	{"x|--use-auth-token|--lr|0.1", NULL},
	{"x|--use-auth-token|true", NULL},
	{"x|--password", NULL},
	{"x|--password|", NULL},
	{"mysql|-psecret|-h|db", "mysql|-p" R "|-h|db"},
	{"/usr/bin/sshpass|-p|secret|ssh|-p|22|host", "/usr/bin/sshpass|-p|" R "|ssh|-p|22|host"},
	{"docker|run|-p|8080:80|image", NULL},
	{"docker|login|-u|me|-p|secret", "docker|login|-u|me|-p|" R},
	{"curl|-u|me:secret|https://a.b/c", "curl|-u|" R "|https://a.b/c"},
	{"redis-cli|-a|secret|ping", "redis-cli|-a|" R "|ping"},
	/* variables, configuration, headers */
	{"env|HF_TOKEN=abc|python", "env|HF_TOKEN=" R "|python"},
	{"env|WANDB_KEY=0123|python", "env|WANDB_KEY=" R "|python"},
	{"x|+logger.api_key=k|trainer.max_epochs=3",
	 "x|+logger.api_key=" R "|trainer.max_epochs=3"},
	{"curl|-H|Authorization: Bearer abc.def|x", "curl|-H|Authorization: " R "|x"},
	{"curl|-H|Cookie: a=b; c=d|x", "curl|-H|Cookie: " R "|x"},
	{"x|Authorization:|Basic|dXNlcg==", "x|Authorization:|Basic|" R},
	{"x|{\"password\": \"p w\", \"lr\": 0.1}", "x|{\"password\": \"" R "\", \"lr\": 0.1}"},
	{"aws|aws_secret_access_key=abc/def", "aws|aws_secret_access_key=" R},
	/* URLs */
	{"x|postgres://user:pa/ss@db:5432/x", "x|postgres://" R "@db:5432/x"},
	{"x|https://user:p@ss@host/path@2x.png", "x|https://" R "@host/path@2x.png"},
	{"x|https://a.b/c?x=1&token=abc&y=2", "x|https://a.b/c?x=1&token=" R "&y=2"},
	{"x|tcp://localhost:29500|ssh://git@host/x|http://h:80/a@b", NULL},
	{"x|user:secret@db.example", "x|" R "@db.example"},
	{"x|me@host:/data|repo/image:tag@sha256:0123", NULL},
	/* code */
	{"sh|-c|export TOKEN=abc; python train.py --lr 0.1",
	 "sh|-c|export TOKEN=" R "; python train.py --lr 0.1"},
	{"bash|-lc|x --password 'a b' --seed 3", "bash|-lc|x --password '" R "' --seed 3"},
	{"sh|-c|mysql -psecret -h db", "sh|-c|mysql -p" R " -h db"},
	{"python|-c|login(password=\"p\", lr=0.1)", "python|-c|login(password=\"" R "\", lr=0.1)"},
	{"worker: --token abc --lr 1", "worker: --token " R " --lr 1"},
	/* known forms */
	{"x|ghp_0123456789abcdefghijklmnopqrstuvwxyz", "x|" R},
	{"x|a=ghp_0123456789abcdefghijklmnopqrstuvwxyz,b", "x|a=" R ",b"},
	{"x|-i=ghp_0123456789abcdefghijklmnopqrstuvwxyz", "x|-i=" R},
	{"x|AKIAIOSFODNN7EXAMPLE", "x|" R},
	{"x|sk-proj-abcdefghijklmnop1234567890", "x|" R},
	{"x|hf_abcdefghijklmnopqrstuvwxyz0123456789", "x|" R},
	{"x|hf_transfer_of_large_model_files_2", NULL},
	{"x|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123", "x|" R},
	/* random words */
	{"x|wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzABCKEYab12", "x|" R},
	{"wandb|login|0123456789abcdef0123456789abcdef01234567", NULL},
	{"wandb|login|3f5a9c0d1e7b2486af90c3d5e7f1a2b4c6d8e0f1", "wandb|login|" R},
	{"x|--revision|3f5a9c0d1e7b2486af90c3d5e7f1a2b4c6d8e0f1", NULL},
	{"x|--commit=3f5a9c0d1e7b2486af90c3d5e7f1a2b4c6d8e0f1", NULL},
	{"x|/models/snapshots/3f5a9c0d1e7b2486af90c3d5e7f1a2b4c6d8e0f1/config.json", NULL},
	{"x|--gpus|GPU-8f6d3c1a-1b34-92c4-a1d2-0123456789ab", NULL},
	/* plain training arguments */
	{"python3|train.py|--lr|0.001|--num-workers|4|--batch-size=64|--data|/data/imagenet", NULL},
	{"x|--max-tokens|512|--tokenizer|gpt2|--pad-token|<pad>|--eos_token=</s>", NULL},
	{"x|--max-token|512|--token|512|--sort-key|length|--key|value", NULL},
	{"x|--model|meta-llama/Llama-2-7b-chat-hf|--name|resnet50-imagenet-bs256-lr0.001-adamw",
	 NULL},
	{"x|meanTeacherConsistencyLossWithEma2024Version", NULL},
	{"torchrun|--nproc_per_node=8|--rdzv_endpoint=10.0.0.1:29400|--rdzv_id|job_17", NULL},
	{"python|-c|import torch; print(torch.__version__)", NULL},
	{"python|-c|from multiprocessing.spawn import spawn_main; spawn_main(tracker_fd=5, pipe_handle=7)",
	 NULL},
};

#define MOST 4096

static void swap(char *text, size_t length, char from, char to)
{
	for (size_t i = 0; i < length; i++)
		if (text[i] == from)
			text[i] = to;
}

/* What redact_arguments makes of arguments parted by '\0', parted by '|'. */
static void redact(char *text, size_t length)
{
	length++; /* the last NUL, as in /proc/PID/cmdline */
	redact_arguments(text, &length, MOST);
	length--;
	swap(text, length, '\0', '|');
	text[length] = '\0';
}

static int check(const char *given, const char *wanted)
{
	char text[MOST], expected[MOST];

	snprintf(text, sizeof(text), "%s", given);
	snprintf(expected, sizeof(expected), "%s", wanted ? wanted : given);
	swap(text, strlen(given), '|', '\0');
	redact(text, strlen(given));
	if (!strcmp(text, expected))
		return 0;
	fprintf(stderr, "given    %s\nwanted   %s\nreceived %s\n\n", given, expected, text);
	return 1;
}

struct line {
	char given[MOST], wanted[MOST], secret[MOST]; /* secret: the first one; "" = none */
	size_t length;
};

/* A line of the corpus: two blanks part arguments, « and » stand around what must go. */
static void read_line(const char *text, struct line *out)
{
	size_t wanted = 0, secret = 0, secrets = 0;
	bool inside = false;

	out->length = 0;
	while (*text && *text != '\n') {
		if (!strncmp(text, "«", 2) || !strncmp(text, "»", 2)) {
			inside = !strncmp(text, "«", 2);
			secrets += inside;
			if (inside)
				wanted += (size_t)snprintf(out->wanted + wanted, MOST - wanted, R);
			text += 2;
			continue;
		}
		if (!strncmp(text, "  ", 2)) {
			out->given[out->length++] = '\0';
			out->wanted[wanted++] = '|';
			text += 2;
			continue;
		}
		if (inside && secrets == 1)
			out->secret[secret++] = *text;
		if (!inside)
			out->wanted[wanted++] = *text;
		out->given[out->length++] = *text++;
	}
	out->given[out->length] = out->wanted[wanted] = out->secret[secret] = '\0';
}

struct counts {
	unsigned int secrets, kept, otherwise, clean, changed;
};

/* The bars that part arguments are no difference to those that stand in them. */
static void check_line(const char *text, struct counts *counts)
{
	struct line line;

	read_line(text, &line);
	redact(line.given, line.length);
	if (line.secret[0])
		counts->secrets++;
	else
		counts->clean++;
	if (!strcmp(line.given, line.wanted))
		return;
	if (!line.secret[0])
		counts->changed++;
	else if (strstr(line.given, line.secret))
		counts->kept++;
	else
		counts->otherwise++;
	fprintf(stderr, "given    %swanted   %s\nreceived %s\n\n", text, line.wanted, line.given);
}

/* Run from the project's folder, or from the agent's. */
static FILE *open_fixture(const char *name)
{
	static const char *const folders[] = {"test/fixtures", "agent/test/fixtures"};
	char path[256];
	FILE *file = NULL;

	for (size_t i = 0; !file && i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		file = fopen(path, "r");
	}
	return file;
}

static int check_corpus(const char *name, unsigned int secrets, unsigned int clean)
{
	struct counts counts = {0};
	char text[MOST];
	FILE *file = open_fixture(name);

	if (!file) {
		fprintf(stderr, "%s is not where it is looked for\n", name);
		return 1;
	}
	while (fgets(text, sizeof(text), file))
		if (text[0] != '#' && text[0] != '\n')
			check_line(text, &counts);
	fclose(file);
	printf("%s: %u with secrets, %u kept one, %u hide something else; %u clean, %u changed\n",
	       name, counts.secrets, counts.kept, counts.otherwise, counts.clean, counts.changed);
	if (counts.secrets < secrets || counts.clean < clean) {
		fprintf(stderr, "%s: fewer lines than there were\n", name);
		return 1;
	}
	return (int)(counts.kept + counts.otherwise + counts.changed);
}

/* A result that does not fit is cut, and the count is told. */
static int check_capacity(void)
{
	char text[8] = "-H\0a:b@h";
	size_t length = 8;
	int count = redact_arguments(text, &length, sizeof(text));

	if (count == 1 && length == sizeof(text) && !memcmp(text, "-H\0[reda", sizeof(text)))
		return 0;
	fprintf(stderr, "capacity: %d, %zu bytes\n", count, length);
	return 1;
}

/* Names of processes have 15 bytes. */
static int check_name(const char *given, const char *wanted)
{
	char name[16];

	snprintf(name, sizeof(name), "%s", given);
	redact_name(name);
	if (!strcmp(name, wanted))
		return 0;
	fprintf(stderr, "name %s: wanted %s, received %s\n", given, wanted, name);
	return 1;
}

static int check_names(void)
{
	static const char *const kept[] = {
		"python3",          "pt_main_thread",
		"kworker/u8:2-ev",  "cuda-EvtHandlr",
		"ray::IDLE",        "postgres: alice",
		"Web Content",      "nginx: worker ",
		"ThreadPool: 12",   "tokio-runtime-w",
		"(sd-pam)",         "key: value",
		"celeryd: celery@", "",
	};
	int failed = check_name("pw=hunter2 x", "pw=") + check_name("w token=hunter2", "w token=") +
		     check_name("u --pin 1234 ab", "u --pin ") + check_name("a:pw@host", "");
	size_t i;

	for (i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
		char name[16];

		snprintf(name, sizeof(name), "%s", kept[i]);
		failed += check_name(kept[i], name);
	}
	return failed;
}

/*
 * Pieces that take the square of the length where what was looked at is looked at again. `hidden`: it is
 * taken for a secret or given up, and then hidden with what stands behind it.
 */
static int check_long(void)
{
	static const struct {
		const char *piece;
		bool hidden;
	} pieces[] = {
		{"a\\ ", true},         {"user=!!", true}, {"a://?", true}, {"x:!!a", false},
		{"token=(", true},      {"sk-", false},    {"-p'", false},  {"=", false},
		{"echo -n ", false},    {"a=\"", false},   {"${", false},   {"\\", false},
		{"https://u:/@", true}, {"a_key=", true},  {"\n", false},   {"+", false},
	};
	size_t size = 1 << 15, capacity = 12 * size, i, at;
	int failed = 0;

	for (i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		size_t piece = strlen(pieces[i].piece), length = size / piece * piece;
		char *text = malloc(capacity);

		if (!text)
			return 1;
		for (at = 0; at < length; at += piece)
			memcpy(text + at, pieces[i].piece, piece);
		memcpy(text + length, "\0--token=hunter2", 16);
		length += 16;
		if (redact_arguments(text, &length, capacity) < 1 ||
		    memmem(text, length, "hunter2", 7) || (length < size / 2) != pieces[i].hidden) {
			fprintf(stderr, "%s over and over: %zu bytes\n", pieces[i].piece, length);
			failed++;
		}
		free(text);
	}
	return failed;
}

int main(void)
{
	int failed = check_capacity() + check_names() + check_long();

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		failed += check(cases[i].given, cases[i].wanted);
	failed += check_corpus("secrets.txt", 347, 179);
	failed += check_corpus("secrets_held_out.txt", 270, 223);
	printf("redact: %zu cases, %d failed\n", sizeof(cases) / sizeof(*cases) + 1, failed);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
