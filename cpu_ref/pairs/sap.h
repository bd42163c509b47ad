// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Inside sort and sweep: the frame (which axis is swept, where the strips are) and the lists (a set's boxes by strip,
/// each strip sorted along the swept axis).

#include "cpu_ref/pairs/lanes.h"

enum { SAP_STRIPS_MAX = 512, SAP_CELLS = 1024, SAP_PAST_END = 16, SAP_CHUNK = 512 };

/// Axes, and strips of the second axis: strip k holds the numbers from bounds[k] to before bounds[k + 1].
typedef struct sap_frame {
    int sweep, strip, other;  ///< 0 to 2, each once
    uint32_t strips;
    float bounds[SAP_STRIPS_MAX];   ///< ascending without repeats; [0] is -infinity and stands for itself
    uint16_t cells[SAP_CELLS + 1];  ///< where the search of a strip begins and ends: bounds in cells before this
    uint32_t cell_count;            ///< 1 when they cannot be told apart by a multiplication
    float first, scale;             ///< a number's cell is (number - first) * scale
    double expected_tests;          ///< for one box
} sap_frame;

/// Chooses axes and strips for the least expected time, from a sample. Errors: OUT_OF_MEMORY.
tact_result tact_sap_frame_choose(tact_env* env, const tact_volume_view* of, sap_frame* frame);

/// Leaves out every other bound.
void tact_sap_frame_halve(sap_frame* frame);

static inline float sap_component(const tact_vec3* v, int axis)
{
    return axis == 0 ? v->x : axis == 1 ? v->y : v->z;
}

/// The strip of a number that is no NaN.
static inline uint32_t sap_strip_of(const sap_frame* f, float y)
{
    const float at = (y - f->first) * f->scale;
    // A NaN from infinities goes to the first cell, which is then the only one.
    uint32_t cell = 0;
    if (at > 0.0f) cell = at < (float)(f->cell_count - 1) ? (uint32_t)at : f->cell_count - 1;
    uint32_t low = f->cells[cell], high = f->cells[cell + 1];
    while (low < high) {
        const uint32_t middle = (low + high + 1) / 2;
        if (f->bounds[middle] <= y) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/// Orders floats that are no NaN as integers, with both zeros the same.
static inline uint32_t sap_key(float x)
{
    const union {
        float f;
        uint32_t u;
    } bits = {x + 0.0f};
    return bits.u & 0x80000000u ? ~bits.u : bits.u | 0x80000000u;
}

/// Sorts keys with their ids, ascending; `keys_2` and `ids_2` are room for as many.
void tact_sap_sort(uint32_t* keys, uint32_t* ids, uint32_t* keys_2, uint32_t* ids_2, size_t count);

/// Boxes [begin, end) of a strip, for one thread at a time.
typedef struct sap_task {
    uint32_t strip;
    uint32_t begin, end;
} sap_task;

/// A set's boxes, each in all strips it reaches. An entry is a box in a strip.
typedef struct sap_list {
    float* memory;
    size_t capacity;
    tact_sap_arrays arrays;  ///< in `memory`
    uint32_t *ids, *keys;    ///< the order that is being made, and room to sort it; all in `work`
    uint32_t *ids_2, *keys_2;
    uint32_t* work;
    size_t work_capacity;
    uint32_t* spans;      ///< by id: first strip, last strip << 16
    uint32_t* new_spans;  ///< while they are made
    size_t span_capacity, new_span_capacity;
    uint32_t* counts;  ///< of the blocks of ids
    size_t count_capacity;
    sap_task* tasks;
    size_t task_count, task_capacity;
    size_t starts[SAP_STRIPS_MAX + 1];  ///< of each strip's entries in the arrays, at multiples of 16
    uint32_t sizes[SAP_STRIPS_MAX];
    uint32_t count;      ///< of ids that have a span
    uint64_t version;    ///< of the volumes
    uint32_t from, end;  ///< ids that were taken
    bool filled;
    uint32_t skip_repair;  ///< updates that make the list anew, because things move too fast
} sap_list;

/// Brings the list up to date with volumes [from, end). *crowded: the strips are too many for these boxes, and the list
/// is empty. Errors: OUT_OF_MEMORY; the list is then empty.
tact_result tact_sap_list_update(tact_env* env, int threads, const tact_volume_view* of, uint32_t from, uint32_t end,
                                 const sap_frame* frame, sap_list* list, bool* crowded);

/// Whether every live box among those taken is once in each strip that it reaches, strips are sorted along the swept
/// axis, and their ends compare false. For TACT_VALIDATE.
bool tact_sap_list_is_valid(const sap_list* list, const tact_volume_view* of, const sap_frame* frame);

void tact_sap_list_release(tact_env* env, sap_list* list);

size_t tact_sap_list_bytes(const sap_list* list);
