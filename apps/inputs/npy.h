// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// NumPy's array files (.npy): versions 1.0 to 3.0 are read, of either order of bytes and axes; 1.0 is written, in C
/// order, little endian.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "apps/problem.h"

typedef enum tact_npy_type {
    TACT_NPY_FLOAT32 = 0,
    TACT_NPY_UINT32 = 1,
    TACT_NPY_HIT = 2,      ///< tact_hit: instance u4, primitive u4, t f4, u f4, v f4
    TACT_NPY_CONTACT = 3,  ///< tact_particle_contact; written only
    TACT_NPY_FLOAT64 = 4,
    TACT_NPY_PICK = 5,     ///< tact_pick; written only
    TACT_NPY_CLOSEST = 6,  ///< tact_closest_hit; written only
    TACT_NPY_SPHERE = 7    ///< tact_sphere_hit; written only
} tact_npy_type;

enum { TACT_NPY_MAX_DIMENSIONS = 8 };

/// An array inside the bytes of a file.
typedef struct tact_npy_array {
    tact_npy_type type;
    int dimensions;
    uint64_t shape[TACT_NPY_MAX_DIMENSIONS];
    size_t offset;             ///< of the data from the file's first byte; not necessarily aligned
    size_t size;               ///< of the data in bytes
    bool big_endian, fortran;  ///< as the file has it; the functions below that give data turn it round
} tact_npy_array;

size_t tact_npy_item_size(tact_npy_type type);

/// Reads a file's bytes. `name` is what messages call it. The data must be exactly as long as the header says.
bool tact_npy_parse(const void* bytes, size_t size, const char* name, tact_npy_array* array, tact_problem* problem);

/// Copies the data of a file that is parsed into memory from malloc (never NULL), little endian in C order.
bool tact_npy_take(const void* bytes, const char* name, tact_npy_array* array, void** data, tact_problem* problem);

/// Rounds float64 data that was taken to float32 where it lies; other types stay.
void tact_npy_to_float32(void* data, tact_npy_array* array);

/// A table of `rows` x `columns` items, in memory from malloc (never NULL).
typedef struct tact_npy_table {
    void* data;
    uint64_t rows;
    uint32_t columns;
} tact_npy_table;

/// Reads a file that must hold an array of this type with two dimensions, the second being `columns`; with `columns`
/// 0, one dimension. float64 is rounded where float32 is wanted.
bool tact_npy_read(const char* path, tact_npy_type type, uint32_t columns, tact_npy_table* table,
                   tact_problem* problem);

/// Reads a file's bytes and its header, of any type and shape that is read here. `*bytes` is from malloc (never NULL);
/// the array's data is moved to its beginning, little endian in C order.
bool tact_npy_load(const char* path, void** bytes, tact_npy_array* array, tact_problem* problem);

/// Writes rows x columns items (columns 0: one dimension), whole or not at all.
bool tact_npy_write(const char* path, tact_npy_type type, uint64_t rows, uint32_t columns, const void* data,
                    tact_problem* problem);

/// The same of items whose type is `descr`, as NumPy writes it, such as "[('a', '<u4')]".
bool tact_npy_write_as(const char* path, const char* descr, size_t item_size, uint64_t rows, uint32_t columns,
                       const void* data, tact_problem* problem);
