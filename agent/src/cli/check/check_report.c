// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
#include "check_report.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "../../record/event_source.h"
#include "../commands.h"
#include "../text/json.h"
#include "../text/terminal_text.h"

static const char *const status_names[] = {"ok", "warn", "fail", "info"};

void check_add(struct check_report *report, const char *id, const char *label,
	       enum check_status status, const char *next, const char *format, ...)
{
	struct check_item *item = &report->items[report->count];
	va_list list;

	if (report->count == MAX_ITEMS)
		return;
	report->count++;
	item->id = id;
	item->label = label;
	item->status = status;
	snprintf(item->next, sizeof(item->next), "%s", next ? next : "");
	va_start(list, format);
	vsnprintf(item->detail, sizeof(item->detail), format, list);
	va_end(list);
}

void check_captured(struct check_report *report, const char *what)
{
	if (report->captured_count < MAX_CAPTURED)
		report->captured[report->captured_count++] = what;
}

void check_missing(struct check_report *report, const char *what, const char *why, const char *next)
{
	struct check_missing *missing = &report->missing[report->missing_count];

	if (report->missing_count == MAX_CAPTURED)
		return;
	report->missing_count++;
	missing->what = what;
	snprintf(missing->why, sizeof(missing->why), "%s", why);
	snprintf(missing->next, sizeof(missing->next), "%s", next ? next : "");
}

void check_found(struct check_report *report, const char *what)
{
	size_t kept = 0;

	for (size_t i = 0; i < report->missing_count; i++)
		if (strcmp(report->missing[i].what, what))
			report->missing[kept++] = report->missing[i];
	report->missing_count = kept;
	check_captured(report, what);
}

static const char *mode_of(const struct check_report *report)
{
	if (report->partial)
		return "partial";
	for (unsigned int i = 0; i < CAPTURE_MODES; i++)
		if (report->tiers[capture_modes[i].main].available)
			return capture_modes[i].id;
	return capture_modes[CAPTURE_MODES - 1].id;
}

static void put_summary(struct json *json, const struct check_report *report)
{
	json_open_object(json, "summary");
	json_text(json, "mode", mode_of(report));
	json_open_array(json, "captured");
	for (size_t i = 0; i < report->captured_count; i++)
		json_text(json, NULL, report->captured[i]);
	json_close_array(json);
	json_open_array(json, "missing");
	for (size_t i = 0; i < report->missing_count; i++) {
		const struct check_missing *missing = &report->missing[i];

		json_open_object(json, NULL);
		json_text(json, "what", missing->what);
		json_text(json, "why", missing->why);
		json_text(json, "next", missing->next[0] ? missing->next : NULL);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

int check_print_json(const struct check_report *report)
{
	struct json json = {0};
	int err;

	json_open_object(&json, NULL);
	json_text(&json, "agent", AGENT_VERSION);
	json_open_array(&json, "checks");
	for (size_t i = 0; i < report->count; i++) {
		const struct check_item *item = &report->items[i];

		json_open_object(&json, NULL);
		json_text(&json, "id", item->id);
		json_text(&json, "label", item->label);
		json_text(&json, "status", status_names[item->status]);
		json_text(&json, "detail", item->detail);
		json_text(&json, "next", item->next[0] ? item->next : NULL);
		json_close_object(&json);
	}
	json_close_array(&json);
	check_put_tiers(&json, report);
	put_summary(&json, report);
	json_close_object(&json);
	err = json_print_line(&json, STDOUT_FILENO);
	json_free(&json);
	return err;
}

static bool is_opt_in(const char *name)
{
	for (unsigned int i = 0; i < SOURCE_COUNT; i++)
		if (!strcmp(event_sources[i]->probe.name, name))
			return event_sources[i]->profile;
	return false;
}

static void print_captured(const struct check_report *report, const char *title, bool opt_in)
{
	bool any = false;

	for (size_t i = 0; i < report->captured_count; i++) {
		if (is_opt_in(report->captured[i]) != opt_in)
			continue;
		printf("%s %s", any ? "," : title, report->captured[i]);
		any = true;
	}
	if (any)
		printf("\n");
	else if (!opt_in)
		printf("%s nothing\n", title);
}

static bool same_reason(const struct check_missing *a, const struct check_missing *b)
{
	return !strcmp(a->why, b->why) && !strcmp(a->next, b->next);
}

/* Those with the same reason in one line, where the first of them stands. */
static void print_missing(const struct check_report *report)
{
	char why[2048];

	for (size_t i = 0; i < report->missing_count; i++) {
		const struct check_missing *missing = &report->missing[i];
		bool said = false;

		for (size_t j = 0; j < i && !said; j++)
			said = same_reason(&report->missing[j], missing);
		if (said)
			continue;
		printf("  %s", missing->what);
		for (size_t j = i + 1; j < report->missing_count; j++) {
			if (same_reason(&report->missing[j], missing))
				printf(", %s", report->missing[j].what);
		}
		terminal_text(missing->why, why, sizeof(why), 500);
		printf(": %s\n", why);
		if (missing->next[0])
			printf("    → %s\n", missing->next);
	}
}

static const char *mode_text(const struct check_report *report)
{
	if (report->full)
		return "Mode: full, with BPF.";
	if (report->partial)
		return "Mode: partial, with BPF, but not all that matters: see what will be missing.";
	if (!report->tiers[TIER_INSIDE].available)
		return report->tiers[TIER_PERF].available ?
			       "Mode: sampled. Without BPF, perf events tell the switches of the job, and /proc is read every 10 ms." :
			       "Mode: sampled. Without BPF, /proc is read every 10 ms.";
	return report->tiers[TIER_PERF].available ?
		       "Mode: inside. Without BPF, a command that is launched is recorded from inside, perf events tell its switches, and /proc is read every 10 ms." :
		       "Mode: inside. Without BPF, a command that is launched is recorded from inside, and /proc is read every 10 ms.";
}

int check_print_table(const struct check_report *report)
{
	char text[2048];

	for (size_t i = 0; i < report->count; i++) {
		const struct check_item *item = &report->items[i];

		terminal_text(item->detail, text, sizeof(text), 800);
		printf("%-4s  %-22s %s\n", status_names[item->status], item->label, text);
		if (item->next[0])
			printf("      %-22s → %s\n", "", item->next);
	}
	check_print_tiers(report);
	print_captured(report, "\nWill be captured:", false);
	print_captured(report, "Only with --profile:", true);
	if (report->missing_count)
		printf("\nWill be missing:\n");
	print_missing(report);
	printf("\n%s\n", mode_text(report));
	return ferror(stdout) || fflush(stdout) ? -1 : 0;
}
