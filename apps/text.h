// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A text that grows, for SVG and HTML.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "apps/problem.h"

/// All zero: empty.
typedef struct tact_text {
    char* bytes;  ///< from malloc; ends with a zero byte unless nothing was put
    size_t size, capacity;
    bool failed;  ///< memory ran out: the text is cut short
} tact_text;

/// Adds formatted text, at most 1,023 bytes a call.
void tact_text_put(tact_text* text, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

/// Adds a text of any length so that it means itself between tags and within quoted attributes. Control characters, and
/// bytes that are no UTF-8, become question marks.
void tact_text_put_escaped(tact_text* text, const char* s);

/// A number to three digits, which never has a power of ten: 95,200,000 or 1,230 or 12.3 or 0.000123. What is not
/// positive and finite is 0.
void tact_text_put_rounded(tact_text* text, double value);

/// A whole number with a comma at every third digit.
void tact_text_grouped(double value, char* text, size_t size);

void tact_text_free(tact_text* text);

// A table of texts, printed aligned for people or as comma-separated values.

enum { TACT_TABLE_COLUMNS = 24, TACT_TABLE_CELL = 160 };

typedef struct tact_table {
    int columns;
    const char* heads[TACT_TABLE_COLUMNS];
    bool right[TACT_TABLE_COLUMNS];  ///< numbers are set flush right
    char* cells;                     ///< TACT_TABLE_CELL bytes each
    size_t used, capacity;           ///< cells
    const char* marks[2];            ///< texts of rows that are red
    bool cut_short;                  ///< memory ran out: cells are missing at the end
} tact_table;

/// `heads`: one that starts with '>' is set flush right. The texts must outlive the table and be shorter than a cell.
void tact_table_init(tact_table* table, const char* const heads[], int columns);

/// Adds the next cell, cut when it does not fit. Where memory runs out this cell and all further ones are left out, so
/// that none comes into another's column, and the table says so when it is printed.
void tact_table_add(tact_table* table, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

void tact_table_print(const tact_table* table, FILE* stream);

/// Rows that have this text in a cell are red where there are colours. It must outlive the table.
void tact_table_mark(tact_table* table, const char* text);

/// The table as comma-separated values in memory from malloc; NULL when there is none, or cells were left out for that.
char* tact_table_csv(const tact_table* table, size_t* size);

void tact_table_free(tact_table* table);

// Meshes as Wavefront files.

/// Writes it to a file, whole or not at all. `positions` has three floats for each vertex.
bool tact_obj_write(const char* path, const float* positions, size_t vertex_count, const uint32_t* indices,
                    size_t triangle_count, tact_problem* problem);
