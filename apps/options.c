// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool tact_number_parse(const char* text, uint64_t low, uint64_t high, uint64_t* number, const char** end)
{
    uint64_t value = 0;
    const char* c = text;
    for (; *c >= '0' && *c <= '9'; ++c) {
        const uint64_t digit = (uint64_t)(*c - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    if (c == text || value < low || value > high) return false;
    if (end) {
        *end = c;
    } else if (*c) {
        return false;
    }
    *number = value;
    return true;
}

bool tact_size_parse(const char* option, const char* text, uint32_t low, uint32_t high, uint32_t* width,
                     uint32_t* height, tact_problem* problem)
{
    uint64_t w = 0, h = 0;
    const char* rest = NULL;
    if (!tact_number_parse(text, low, high, &w, &rest) || *rest != 'x' ||
        !tact_number_parse(rest + 1, low, high, &h, NULL)) {
        return tact_problem_set(problem, "--%s %s: must be WIDTHxHEIGHT, whole numbers from %u to %u", option, text,
                                low, high);
    }
    *width = (uint32_t)w;
    *height = (uint32_t)h;
    return true;
}

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
    for (int i = 0; option->choices[i]; ++i) {
        if (strcmp(option->choices[i], value) == 0) {
            *(int*)option->target = i;
            return true;
        }
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", option->choices[i]);
    }
    return tact_problem_set(problem, "--%s %s: must be one of %s", option->name, value, all);
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
        case TACT_OPTION_TEXT:
            *(const char**)option->target = value;
            return true;
        case TACT_OPTION_FLAG:
            break;
    }
    return false;
}

static bool parse(const tact_option_set* set, tact_text_list* operands, int argc, char** argv, tact_problem* problem)
{
    for (int i = 0; i < argc; ++i) {
        const char* argument = argv[i];
        if (operands && argument[0] && argument[0] != '-') {
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
        if (!option) return tact_problem_set(problem, "%s: unknown option", argument);
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

static void print_part(const tact_option* options)
{
    for (; options && options->name; ++options) {
        char head[64];
        snprintf(head, sizeof head, "--%s%s%s", options->name, options->value ? " " : "",
                 options->value ? options->value : "");
        printf("  %-26s %s\n", head, options->help);
    }
}

bool tact_options_take(const tact_option_set* set, const char* usage, tact_text_list* operands, int argc, char** argv,
                       bool* work, tact_problem* problem)
{
    *work = true;
    for (int i = 0; i < argc; ++i) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) *work = false;
    }
    if (*work) return parse(set, operands, argc, argv, problem);
    puts(usage);
    if (set->own && set->own->name) {
        puts("Options:");
        print_part(set->own);
    }
    puts("Common options:");
    print_part(set->common);
    puts("  --help                     this text");
    return true;
}
