// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/kernel_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char DIRECTIVE[] = "#line ";
static const char FILE_MARK[] = "// file ";

static const char* next_line(const char* line)
{
    const char* end = strchr(line, '\n');
    return end ? end + 1 : line + strlen(line);
}

void tact_kernel_log_hide_lines(char* source)
{
    for (char* line = source; *line; line += next_line(line) - line) {
        if (strncmp(line, DIRECTIVE, sizeof DIRECTIVE - 1) == 0) line[0] = line[1] = '/';
    }
}

// The name of source file `number`, not terminated; NULL when there is none.
static const char* find_file(const char* source, unsigned long number, size_t* length)
{
    for (const char* line = source; *line; line = next_line(line)) {
        if (strncmp(line, FILE_MARK, sizeof FILE_MARK - 1) != 0) continue;
        char* end = NULL;
        const unsigned long found = strtoul(line + sizeof FILE_MARK - 1, &end, 10);
        if (found == number && strncmp(end, ": ", 2) == 0) {
            *length = strcspn(end + 2, "\r\n");
            return end + 2;
        }
    }
    return NULL;
}

// What the line directives say of a line of the text, counted from 1. False before the first directive and beyond the
// last line.
static bool find_place(const char* source, unsigned long wanted, unsigned long* file, unsigned long* line_number)
{
    unsigned long current = 1, named = 0;
    *file = 0;
    for (const char* line = source; *line; line = next_line(line), ++current, ++named) {
        if (strncmp(line, DIRECTIVE, sizeof DIRECTIVE - 1) == 0) {
            char* end = NULL;
            // Of the line after this one.
            named = strtoul(line + sizeof DIRECTIVE - 1, &end, 10) - 1;
            *file = strtoul(end, NULL, 10);
        }
        if (current == wanted) {
            *line_number = named;
            return *file != 0;
        }
    }
    return false;
}

static size_t append(char* out, size_t size, size_t used, const char* text, size_t length)
{
    if (length > size - 1 - used) length = size - 1 - used;
    memcpy(out + used, text, length);
    return used + length;
}

// Where a message begins with a place, how long that is: "0:12", "0(12)", "ERROR: 0:12"; `start` is where the first
// number begins. 0 when it does not.
static size_t read_place(const char* message, size_t* start, unsigned long* line, bool* brackets)
{
    static const char* const PREFIXES[] = {"ERROR: ", "WARNING: "};
    static const char DIGITS[] = "0123456789";
    *start = 0;
    for (size_t i = 0; i < sizeof PREFIXES / sizeof PREFIXES[0]; ++i) {
        const size_t prefix = strlen(PREFIXES[i]);
        if (strncmp(message, PREFIXES[i], prefix) == 0) *start = prefix;
    }
    size_t at = *start + strspn(message + *start, DIGITS);
    // Mesa and Intel write "file:line", NVIDIA "file(line)".
    if (at == *start || (message[at] != ':' && message[at] != '(')) return 0;
    *brackets = message[at] == '(';
    ++at;
    const size_t digits = strspn(message + at, DIGITS);
    if (digits == 0 || digits > 9) return 0;
    *line = strtoul(message + at, NULL, 10);
    return at + digits;
}

void tact_kernel_log_translate(const char* source, const char* log, char* out, size_t size)
{
    size_t used = 0;
    for (; *log && used < size - 1; log = next_line(log)) {
        const size_t length = (size_t)(next_line(log) - log);
        size_t start = 0, name_length = 0;
        unsigned long line = 0, file = 0, line_number = 0;
        bool brackets = false;
        const size_t place = read_place(log, &start, &line, &brackets);
        const char* name = NULL;
        if (place && find_place(source, line, &file, &line_number)) name = find_file(source, file, &name_length);
        if (!name) {
            used = append(out, size, used, log, length);
            continue;
        }
        char number[32];
        const int digits = snprintf(number, sizeof number, "%c%lu", brackets ? '(' : ':', line_number);
        used = append(out, size, used, log, start);
        used = append(out, size, used, name, name_length);
        used = append(out, size, used, number, (size_t)digits);
        used = append(out, size, used, log + place, length - place);
    }
    out[used] = '\0';
}
