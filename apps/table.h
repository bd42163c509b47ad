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
} tact_table;

/// `heads`: one that starts with '>' is set flush right. The texts must outlive the table and be shorter than a cell.
void tact_table_init(tact_table* table, const char* const heads[], int columns);

/// Adds the next cell, cut when it does not fit. Without memory it is left out: a table is shorter then, not wrong.
void tact_table_add(tact_table* table, const char* format, ...) TACT_TOOL_PRINTF(2, 3);

void tact_table_print(const tact_table* table, FILE* stream);

/// The table as comma-separated values in memory from malloc; NULL when there is none.
char* tact_table_csv(const tact_table* table, size_t* size);

void tact_table_free(tact_table* table);
