// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/help.h"
#include "apps/picture_format.h"
#include "apps/suggest.h"
#include "apps/system.h"
#include "apps/timing.h"

static tact_describe* describe_by;

static const tact_option* find_in(const tact_option* options, const char* name, size_t length)
{
    for (; options && options->name; ++options) {
        if (strlen(options->name) == length && memcmp(options->name, name, length) == 0) return options;
    }
    return NULL;
}

static bool list_add(tact_text_list* list, const char* item, tact_problem* problem)
{
    if (list->count == TACT_TEXT_LIST_MAX) {
        return tact_problem_set(problem, "%s: more than %d of them", item, TACT_TEXT_LIST_MAX);
    }
    // Grows at powers of two.
    if ((list->count & (list->count - 1)) == 0) {
        const size_t capacity = list->count ? list->count * 2 : 1;
        const char** items = realloc(list->items, capacity * sizeof *items);
        if (!items) return tact_problem_out_of_memory(problem, "the command line");
        list->items = items;
    }
    list->items[list->count++] = item;
    return true;
}

void tact_text_list_free(tact_text_list* list)
{
    free(list->items);
    *list = (tact_text_list){0};
}

static bool set_choice(const tact_option* option, const char* value, tact_problem* problem)
{
    char all[256] = "";
    tact_suggestion near;
    tact_suggestion_begin(&near, value, strlen(value));
    for (int i = 0; option->choices[i]; ++i) {
        if (strcmp(option->choices[i], value) == 0) {
            *(int*)option->target = i;
            return true;
        }
        tact_suggestion_try(&near, option->choices[i]);
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", option->choices[i]);
    }
    char meant[TACT_SUGGESTION_ROOM];
    return tact_problem_set(problem, "--%s %s: must be one of %s%s", option->name, value, all,
                            tact_suggestion_say(&near, "", meant));
}

static bool set_number(const tact_option* option, const char* value, uint64_t* number, tact_problem* problem)
{
    if (tact_number_parse(value, option->low, option->high, number, NULL)) return true;
    return tact_problem_set(problem, "--%s %s: must be a whole number from %" PRIu64 " to %" PRIu64, option->name,
                            value, option->low, option->high);
}

/// `more`: the value after it, of an option that has two.
static bool set_value(const tact_option* option, const char* value, const char* more, tact_problem* problem)
{
    switch (option->kind) {
        case TACT_OPTION_NUMBER:
            return set_number(option, value, option->target, problem);
        case TACT_OPTION_PAIR:
            ((tact_number_and_text*)option->target)->text = more;
            return set_number(option, value, &((tact_number_and_text*)option->target)->number, problem);
        case TACT_OPTION_CHOICE:
            return set_choice(option, value, problem);
        case TACT_OPTION_LIST:
            return list_add(option->target, value, problem);
        case TACT_OPTION_PICTURE:
            if (!tact_picture_format_check(option->name, value, problem)) return false;
            *(const char**)option->target = value;
            return true;
        case TACT_OPTION_OUTPUT:
        case TACT_OPTION_TEXT:
            *(const char**)option->target = value;
            return true;
        case TACT_OPTION_FLAG:
            break;
    }
    return false;
}

static bool unknown(const tact_option_set* set, const char* argument, size_t length, tact_problem* problem)
{
    tact_suggestion near;
    tact_suggestion_begin(&near, argument + 2, length);
    for (const tact_option* o = set->own; o && o->name; ++o)
        tact_suggestion_try(&near, o->name);
    for (const tact_option* o = set->common; o && o->name; ++o)
        tact_suggestion_try(&near, o->name);
    char meant[TACT_SUGGESTION_ROOM];
    return tact_problem_set(problem, "%s: unknown option%s", argument, tact_suggestion_say(&near, "--", meant));
}

/// Looks at which file is standard output: one at most, and nothing else may go there then.
static bool claim_output(const tact_option_set* set, tact_problem* problem)
{
    const tact_option* to = NULL;
    const tact_option* const parts[2] = {set->own, set->common};
    for (int i = 0; i < 2; ++i) {
        for (const tact_option* o = parts[i]; o && o->name; ++o) {
            if (o->kind != TACT_OPTION_OUTPUT && o->kind != TACT_OPTION_PICTURE) continue;
            const char* path = *(const char**)o->target;
            if (!path || !tact_file_is_stream(path)) continue;
            if (to) return tact_problem_set(problem, "--%s -: --%s has standard output", o->name, to->name);
            to = o;
        }
    }
    if (!to) return true;
    const tact_option* json = find_in(set->common, "json", 4);
    if (json && *(bool*)json->target) {
        return tact_problem_set(problem, "--%s -: not with --json, which goes to standard output", to->name);
    }
    return tact_system_claim_output() ||
           tact_problem_set(problem, "--%s -: standard output cannot be written", to->name);
}

static bool parse(const tact_option_set* set, tact_text_list* operands, int argc, char** argv, tact_problem* problem)
{
    for (int i = 0; i < argc; ++i) {
        const char* argument = argv[i];
        if (operands && argument[0] && (argument[0] != '-' || !argument[1])) {
            if (!list_add(operands, argument, problem)) return false;
            continue;
        }
        if (strncmp(argument, "--", 2) != 0 || argument[2] == '\0') {
            return tact_problem_set(problem, "%s: not an option%s", argument,
                                    operands ? "" : "; this command takes only options");
        }
        const char* name = argument + 2;
        const size_t length = strcspn(name, "=");
        const tact_option* option = find_in(set->own, name, length);
        if (!option) option = find_in(set->common, name, length);
        if (!option) return unknown(set, argument, length, problem);
        const bool inline_value = name[length] == '=';
        if (option->kind == TACT_OPTION_FLAG) {
            if (inline_value) return tact_problem_set(problem, "%s: this option takes no value", argument);
            *(bool*)option->target = true;
            continue;
        }
        if (!inline_value && i + 1 == argc) {
            return tact_problem_set(problem, "%s: a value is missing (%s)", argument, option->value);
        }
        const char* value = inline_value ? name + length + 1 : argv[++i];
        const char* more = NULL;
        bool missing = !*value || (!inline_value && strncmp(value, "--", 2) == 0);
        if (option->kind == TACT_OPTION_PAIR && !missing) {
            more = i + 1 < argc ? argv[++i] : "";
            missing = !*more || strncmp(more, "--", 2) == 0;
        }
        if (missing) return tact_problem_set(problem, "--%s: a value is missing (%s)", option->name, option->value);
        if (!set_value(option, value, more, problem)) return false;
    }
    return true;
}

bool tact_option_is_hidden(const tact_option_set* set, const tact_option* option)
{
    const tact_option* own = find_in(set->own, option->name, strlen(option->name));
    return own && own != option;
}

void tact_options_describe_by(tact_describe* describe)
{
    describe_by = describe;
}

bool tact_options_ask_help(int argc, char** argv)
{
    for (int i = 0; i < argc; ++i)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    return false;
}

bool tact_options_take(const tact_option_set* set, const char* usage, tact_text_list* operands, int argc, char** argv,
                       bool* work, tact_problem* problem)
{
    *work = !tact_options_ask_help(argc, argv);
    if (*work) {
        if (!parse(set, operands, argc, argv, problem) || !claim_output(set, problem)) return false;
        const tact_option* quiet = find_in(set->common, "quiet", 5);
        if (quiet && *(bool*)quiet->target) tact_progress_silence();
        return true;
    }
    (describe_by ? describe_by : tact_help_print)(set, usage, operands != NULL);
    return true;
}
