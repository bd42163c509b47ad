// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// A table of texts, printed aligned for people or as comma-separated values.

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "apps/problem.h"

enum { TACT_TABLE_COLUMNS = 24, TACT_TABLE_CELL = 160 };

typedef struct tact_table {
    int columns;
    const char* heads[TACT_TABLE_COLUMNS];
    bool right[TACT_TABLE_COLUMNS];  ///< numbers are set flush right
    char* cells;                     ///< TACT_TABLE_CELL bytes each
    size_t used, capacity;           ///< cells
    bool cut_short;                  ///< memory ran out: cells are missing at the end
} tact_table;

/// `heads`: one that starts with '>' is set flush right. The texts must outlive the table and be shorter than a cell.
void tact_table_init(tact_table* table, const char* const heads[], int columns);

/// Adds the next cell, cut when it does not fit. Where memory runs out this cell and all further ones are left out, so
/// that none comes into another's column, and the table says so when it is printed.
void tact_table_add(tact_table* table, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

void tact_table_print(const tact_table* table, FILE* stream);

/// The table as comma-separated values in memory from malloc; NULL when there is none, or cells were left out for that.
char* tact_table_csv(const tact_table* table, size_t* size);

void tact_table_free(tact_table* table);
