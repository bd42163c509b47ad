// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "apps/color.h"

void tact_table_init(tact_table* table, const char* const heads[], int columns)
{
    *table = (tact_table){.columns = columns < TACT_TABLE_COLUMNS ? columns : TACT_TABLE_COLUMNS};
    for (int i = 0; i < table->columns; ++i) {
        table->right[i] = heads[i][0] == '>';
        table->heads[i] = heads[i] + (table->right[i] ? 1 : 0);
    }
}

/// Takes off what is left of a character of UTF-8 whose end was cut away.
static void end_whole(char* text)
{
    size_t end = strlen(text), start = end;
    while (start > 0 && end - start < 4 && ((unsigned char)text[start - 1] & 0xC0) == 0x80)
        --start;
    const unsigned char lead = start > 0 ? (unsigned char)text[start - 1] : 0;
    const size_t wants = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
    if (wants > end - start) text[start - 1] = '\0';
}

void tact_table_add(tact_table* table, const char* format, ...)
{
    if (table->cut_short) return;
    if (table->used == table->capacity) {
        const size_t capacity = table->capacity ? table->capacity * 2 : 256;
        char* cells = realloc(table->cells, capacity * TACT_TABLE_CELL);
        table->cut_short = cells == NULL;
        if (!cells) return;
        table->cells = cells;
        table->capacity = capacity;
    }
    va_list arguments;
    va_start(arguments, format);
    char* cell = table->cells + table->used++ * TACT_TABLE_CELL;
    const int length = vsnprintf(cell, TACT_TABLE_CELL, format, arguments);
    va_end(arguments);
    if (length >= TACT_TABLE_CELL) end_whole(cell);
}

static const char* cell(const tact_table* table, size_t index)
{
    return table->cells + index * TACT_TABLE_CELL;
}

/// Characters of UTF-8, as a terminal counts them but for the wide ones of East Asia and accents of their own.
static int width_of(const char* text)
{
    int width = 0;
    for (; *text; ++text)
        width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

static void print_blanks(int count, FILE* stream)
{
    for (; count > 0; --count)
        fputc(' ', stream);
}

static void print_cell(const tact_table* table, int column, int width, const char* text, FILE* stream)
{
    const bool last = column + 1 == table->columns;
    const int blanks = width - width_of(text);
    if (table->right[column]) print_blanks(blanks, stream);
    fputs(text, stream);
    if (!table->right[column] && !last) print_blanks(blanks, stream);  // none at the end of a line
    fputs(last ? "\n" : "  ", stream);
}

/// Whether the row that begins with this cell is red.
static bool is_marked(const tact_table* table, size_t row)
{
    for (int i = 0; i < table->columns; ++i) {
        const char* text = cell(table, row + (size_t)i);
        for (int k = 0; k < 2; ++k)
            if (table->marks[k] && strcmp(text, table->marks[k]) == 0) return true;
    }
    return false;
}

void tact_table_print(const tact_table* table, FILE* stream)
{
    int widths[TACT_TABLE_COLUMNS];
    for (int i = 0; i < table->columns; ++i)
        widths[i] = width_of(table->heads[i]);
    for (size_t i = 0; i < table->used; ++i) {
        const int length = width_of(cell(table, i));
        const size_t column = i % (size_t)table->columns;
        if (length > widths[column]) widths[column] = length;
    }
    fputs(tact_color_on(stream, TACT_COLOR_BOLD), stream);
    for (int i = 0; i < table->columns; ++i)
        print_cell(table, i, widths[i], table->heads[i], stream);
    fputs(tact_color_off(stream), stream);
    for (int i = 0; i < table->columns; ++i) {
        for (int k = 0; k < widths[i]; ++k)
            fputc('-', stream);
        fputs(i + 1 == table->columns ? "\n" : "  ", stream);
    }
    const size_t whole = table->used - table->used % (size_t)table->columns;
    for (size_t row = 0; row < whole; row += (size_t)table->columns) {
        const bool marked = is_marked(table, row);
        if (marked) fputs(tact_color_on(stream, TACT_COLOR_RED), stream);
        for (int i = 0; i < table->columns; ++i)
            print_cell(table, i, widths[i], cell(table, row + (size_t)i), stream);
        if (marked) fputs(tact_color_off(stream), stream);
    }
    if (table->cut_short) fputs("(out of memory: rows are missing here)\n", stream);
}

void tact_table_mark(tact_table* table, const char* text)
{
    table->marks[table->marks[0] != NULL] = text;
}

/// Quotes what would break a line of values.
static size_t put_value(char* out, const char* text)
{
    char* start = out;
    const bool quote = strpbrk(text, ",\"\n") != NULL;
    if (quote) *out++ = '"';
    for (; *text; ++text) {
        if (*text == '"') *out++ = '"';
        *out++ = *text;
    }
    if (quote) *out++ = '"';
    return (size_t)(out - start);
}

char* tact_table_csv(const tact_table* table, size_t* size)
{
    if (table->cut_short) return NULL;
    // Every character doubled, two quotes and a separator at most.
    const size_t heads = (size_t)table->columns;
    char* text = malloc((table->used + heads) * (2 * TACT_TABLE_CELL + 3) + 1);
    if (!text) return NULL;
    char* out = text;
    for (size_t i = 0; i < heads + table->used; ++i) {
        out += put_value(out, i < heads ? table->heads[i] : cell(table, i - heads));
        *out++ = (i + 1) % heads == 0 ? '\n' : ',';
    }
    *out = '\0';
    *size = (size_t)(out - text);
    return text;
}

void tact_table_free(tact_table* table)
{
    free(table->cells);
    *table = (tact_table){0};
}
