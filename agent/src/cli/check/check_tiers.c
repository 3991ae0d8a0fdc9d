// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/* What a capture can be made from here, tried; and what each way to capture would see. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../../../inside/ring.h"
#include "../../probe/cuda/libraries.h"
#include "../../probe/kernel/kernel_support.h"
#include "../../record/event_source.h"
#include "../../record/recorder.h"
#include "check_report.h"
#include "../recording/inside_file.h"
#include "../text/terminal_text.h"

static void set_missing(struct tier_status *status, const char *why)
{
	status->available = false;
	snprintf(status->detail, sizeof(status->detail), "%.319s", why);
}

static void try_inside(struct check_report *report)
{
	struct tier_status *status = &report->tiers[TIER_INSIDE];
	char path[4096], why[256] = "";
	const char *other = getenv(INSIDE_LIBRARY_VARIABLE);
	int err = inside_file_path(path, sizeof(path));

	status->available = true;
	snprintf(status->detail, sizeof(status->detail),
		 "Tried: the job's memory can be shared with the agent.");
	if (!err)
		err = inside_file_can_be_provided(path);
	if (pretends_missing(report->pretend_missing, tiers[TIER_INSIDE].id) ||
	    pretends_missing(report->pretend_missing, event_sources[SOURCE_GPU_WORK]->probe.name))
		set_missing(status, "Taken away for a test.");
	else if (report->without_inside[0])
		set_missing(status, report->without_inside);
	else if (err)
		set_missing(status, "The library that CUDA loads can't be put beside the agent.");
	else if (inside_recorder.try_out(why, sizeof(why)))
		set_missing(status, why);
	else if (other)
		set_missing(status, INSIDE_LIBRARY_VARIABLE
			    " is set: another profiler comes with each job.");
	if (status->available)
		inside_line(path, 0, report->inside_line, sizeof(report->inside_line));
}

/* A job may bring its own all the same, in an environment that nothing runs in yet. */
static void tell_cupti(struct check_report *report)
{
	struct tier_status *status = &report->tiers[TIER_INSIDE];
	size_t length = strlen(status->detail);
	char path[4096], shown[240];

	if (find_any_cupti(path, sizeof(path))) {
		terminal_text(path, shown, sizeof(shown), sizeof(shown));
		snprintf(status->detail + length, sizeof(status->detail) - length, " CUPTI: %s",
			 shown);
	} else {
		snprintf(
			status->detail + length, sizeof(status->detail) - length,
			" CUPTI was not found on this machine; where the job brings none, its CUDA calls are recorded %s, and nothing of the GPU.",
			report->tiers[TIER_BPF].available ? "by BPF" : "from imports");
	}
}

static void try_perf(struct check_report *report)
{
	struct tier_status *status = &report->tiers[TIER_PERF];
	char why[256] = "";

	status->available = true;
	snprintf(status->detail, sizeof(status->detail),
		 "Tried: the agent's own switches are told.");
	if (pretends_missing(report->pretend_missing, tiers[TIER_PERF].id))
		set_missing(status, "Taken away for a test.");
	else if (perf_recorder.try_out(why, sizeof(why)))
		set_missing(status, why);
}

static void try_python(struct check_report *report)
{
	struct tier_status *status = &report->tiers[TIER_PYTHON];

	status->available = !python_recorder.try_out(status->detail, sizeof(status->detail));
	if (pretends_missing(report->pretend_missing, tiers[TIER_PYTHON].id))
		set_missing(status, "Taken away for a test.");
}

static bool is_missing(const struct check_report *report, const char *what, const char **why)
{
	for (size_t i = 0; i < report->missing_count; i++) {
		if (strcmp(report->missing[i].what, what))
			continue;
		*why = report->missing[i].why;
		return true;
	}
	return false;
}

static void try_others(struct check_report *report)
{
	const char *why = "";

	report->tiers[TIER_BPF].available = report->full || report->partial;
	if (!report->tiers[TIER_BPF].available)
		set_missing(&report->tiers[TIER_BPF], report->without_bpf);
	report->tiers[TIER_IMPORTS] = report->tiers[TIER_INSIDE];
	report->tiers[TIER_PROC].available = !proc_recorder.try_out(
		report->tiers[TIER_PROC].detail, sizeof(report->tiers[TIER_PROC].detail));
	report->tiers[TIER_MACHINE] = report->tiers[TIER_PROC];
	report->tiers[TIER_GPU_SAMPLES].available = !is_missing(report, "gpu_samples", &why);
	if (!report->tiers[TIER_GPU_SAMPLES].available)
		set_missing(&report->tiers[TIER_GPU_SAMPLES], why);
}

void check_tiers(struct check_report *report)
{
	const struct tier_status *inside = &report->tiers[TIER_INSIDE];
	const char *name = event_sources[SOURCE_GPU_WORK]->probe.name;

	try_inside(report);
	try_perf(report);
	try_python(report);
	try_others(report);
	if (inside->available) {
		tell_cupti(report);
		check_captured(report, name);
	}
	/* Without probes too. */
	if (inside->available && !report->tiers[TIER_BPF].available)
		check_found(report, event_sources[SOURCE_CALLS]->probe.name);
	if (report->tiers[TIER_PYTHON].available && !report->tiers[TIER_BPF].available)
		check_found(report, event_sources[SOURCE_SAMPLES]->probe.name);
	if (!inside->available)
		check_missing(report, name, inside->detail, tiers[TIER_INSIDE].brings);
}

/* What is told of a source, or of what is not one. */
static const char *words_of(const char *name)
{
	for (unsigned int i = 0; i < SOURCE_COUNT; i++)
		if (!strcmp(event_sources[i]->probe.name, name))
			return event_sources[i]->sees;
	for (unsigned int i = 0; i < TIER_COUNT; i++)
		if (!strcmp(tiers[i].id, name))
			return tiers[i].sees[0].text;
	return name;
}

static void put_missing(struct json *json, const char *what, const char *why)
{
	json_open_object(json, NULL);
	json_text(json, "what", what);
	json_text(json, "why", why);
	json_close_object(json);
}

/* With BPF each source is there or not by itself. */
static void put_sources(struct json *json, const struct check_report *report)
{
	json_open_array(json, "sees");
	for (size_t i = 0; i < report->captured_count; i++)
		json_text(json, NULL, words_of(report->captured[i]));
	json_text(json, NULL, tiers[TIER_MACHINE].sees[0].text);
	json_close_array(json);
	json_open_array(json, "cannot_see");
	for (size_t i = 0; i < report->missing_count; i++)
		put_missing(json, words_of(report->missing[i].what), report->missing[i].why);
	json_close_array(json);
}

static void put_mode_tiers(struct json *json, const struct check_report *report,
			   const struct capture_mode *mode)
{
	unsigned int at = 0;
	const char *text, *why;

	json_open_array(json, "sees");
	while ((text = mode_sees(mode, report->tiers, &at)))
		json_text(json, NULL, text);
	json_close_array(json);
	json_open_array(json, "cannot_see");
	at = 0;
	while ((text = mode_misses(mode, report->tiers, &at, &why)))
		put_missing(json, text, why);
	json_close_array(json);
}

static void put_mode(struct json *json, const struct check_report *report,
		     const struct capture_mode *mode)
{
	json_open_object(json, NULL);
	json_text(json, "mode", mode->id);
	json_boolean(json, "available", report->tiers[mode->main].available);
	if (mode->main == TIER_BPF && report->tiers[TIER_BPF].available)
		put_sources(json, report);
	else
		put_mode_tiers(json, report, mode);
	json_close_object(json);
}

void check_put_tiers(struct json *json, const struct check_report *report)
{
	json_open_array(json, "tiers");
	for (unsigned int i = 0; i < TIER_COUNT; i++) {
		json_open_object(json, NULL);
		json_text(json, "id", tiers[i].id);
		json_text(json, "label", tiers[i].label);
		json_boolean(json, "available", report->tiers[i].available);
		json_text(json, "detail", report->tiers[i].detail);
		json_open_array(json, "sees");
		for (const struct tier_text *text = tiers[i].sees; text->text; text++)
			json_text(json, NULL, text->text);
		json_close_array(json);
		json_text(json, "instead", tiers[i].instead);
		json_text(json, "brings", tiers[i].brings);
		if (i == TIER_INSIDE && report->inside_line[0])
			json_text(json, "line", report->inside_line);
		json_close_object(json);
	}
	json_close_array(json);
	json_open_array(json, "modes");
	for (unsigned int i = 0; i < CAPTURE_MODES; i++)
		put_mode(json, report, &capture_modes[i]);
	json_close_array(json);
	json_open_array(json, "sources");
	for (unsigned int i = 0; i < SOURCE_COUNT; i++) {
		json_open_object(json, NULL);
		json_text(json, "name", event_sources[i]->probe.name);
		json_text(json, "sees", event_sources[i]->sees);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Widest label of a tier, and two spaces. */
#define LABEL "%-28s"

static void print_missing(const struct tier *tier, const struct tier_status *status)
{
	printf("no    " LABEL "%s\n", tier->label, status->detail);
	printf("      " LABEL "Instead: %s\n      " LABEL "→ %s\n", "", tier->instead, "",
	       tier->brings);
}

static void print_available(const struct tier *tier)
{
	printf("yes   " LABEL "%s\n", tier->label, tier->sees[0].text);
	for (const struct tier_text *text = tier->sees + 1; text->text; text++)
		printf("      " LABEL "%s\n", "", text->text);
}

void check_print_tiers(const struct check_report *report)
{
	const struct tier_status *inside = &report->tiers[TIER_INSIDE];

	printf("\nWhat a capture can be made from:\n");
	for (unsigned int i = 0; i < TIER_COUNT; i++) {
		if (!report->tiers[i].available)
			print_missing(&tiers[i], &report->tiers[i]);
		else
			print_available(&tiers[i]);
		if (i == TIER_INSIDE && inside->available)
			printf("      " LABEL "%s\n", "", inside->detail);
		if (i == TIER_INSIDE && report->inside_line[0])
			printf("      " LABEL
			       "A job that runs: record it (stalltrace-agent record --pid PID), then paste this into its Python\n"
			       "      " LABEL "%s\n",
			       "", "", report->inside_line);
	}
}
