// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/cloud/field.h"

#include <math.h>
#include <string.h>

#include "cpu_ref/cloud/search.h"

enum {
    MOST = 1024,      // cells along an axis, so that rounding moves nothing by a thousandth of one
    LEAST = 1 << 15,  // cells in all, however few points there are
    LARGEST = 1 << 22,
    QUERIES = 6  // of each cell, that take as much less time with it as it takes to make
};

/// As many cells as points, about.
static uint32_t cells_of(const tact_cloud_tree* tree)
{
    const uint32_t count = tree->point_count;
    return count < LEAST ? LEAST : count > LARGEST ? LARGEST : count;
}

/// Cells of cells_of() at most; one, where the points are so near each other that numbers run out.
static void lay_out(const tact_cloud_tree* tree, tact_cloud_field* f)
{
    const tact_cloud_node* root = &tree->nodes[tree->first[tree->levels - 1]];
    double extent[3], longest = 0.0;
    for (int k = 0; k < 3; ++k) {
        float upper = root->upper[k][0];
        f->lower[k] = root->lower[k][0];
        for (uint32_t i = 1; i < TACT_CLOUD_FAN; ++i) {
            f->lower[k] = root->lower[k][i] < f->lower[k] ? root->lower[k][i] : f->lower[k];
            upper = root->upper[k][i] > upper ? root->upper[k][i] : upper;
        }
        extent[k] = (double)upper - (double)f->lower[k];
        longest = extent[k] > longest ? extent[k] : longest;
        f->size[k] = 1;
    }
    f->scale = 0.0f;
    for (uint32_t n = 2; n <= MOST && longest > 0x1p-90; ++n) {
        const double scale = (n - 1) / longest;
        double cells = 1.0;
        uint32_t size[3];
        for (int k = 0; k < 3; ++k) {
            size[k] = (uint32_t)(extent[k] * scale) + 1;
            cells *= size[k];
        }
        if (cells > cells_of(tree)) break;
        memcpy(f->size, size, sizeof size);
        f->scale = (float)scale;
    }
    for (int k = 0; k < 3; ++k)
        f->last[k] = (float)(f->size[k] - 1);
}

/// The middles of all cells, to search from.
static void write_middles(const tact_cloud_field* f, float width, tact_closest_query* queries)
{
    for (uint32_t z = 0; z < f->size[2]; ++z) {
        for (uint32_t y = 0; y < f->size[1]; ++y) {
            for (uint32_t x = 0; x < f->size[0]; ++x) {
                *queries++ = (tact_closest_query){f->lower[0] + ((float)x + 0.5f) * width,
                                                  f->lower[1] + ((float)y + 0.5f) * width,
                                                  f->lower[2] + ((float)z + 0.5f) * width, INFINITY};
            }
        }
    }
}

/// The nearest point of a cell's middle is that far from the middle, and no place in the cell is farther from it than
/// half a diagonal. A hundredth of the cell, and what the middle was rounded by, are more than rounding moves, here and
/// where queries find their cells.
static tact_cloud_cell make_cell(const tact_closest_query* middle, const tact_cloud_neighbour* nearest,
                                 const tact_vec3* points, float width)
{
    // A middle that is no place a query may have.
    if (nearest->id == TACT_NONE) return (tact_cloud_cell){INFINITY, INFINITY, INFINITY, 0.0f};
    const float at[3] = {middle->x, middle->y, middle->z};
    double most = 0.0;
    for (int k = 0; k < 3; ++k) {
        const double half = 0.51 * (double)width + fabs((double)at[k]) * 0x1p-22;
        most += half * half;
    }
    const double far = sqrt((double)nearest->distance2) - sqrt(most);
    const tact_vec3 point = points[nearest->id];
    return (tact_cloud_cell){point.x, point.y, point.z, far > 0.0 ? (float)(far * far * (1.0 - 0x1p-12)) : 0.0f};
}

bool tact_cloud_field_pays(const tact_cloud_tree* tree, uint64_t asked)
{
    return tree->point_count > 0 && asked >= (uint64_t)QUERIES * cells_of(tree);
}

tact_result tact_cloud_field_make(tact_env* env, int threads, const tact_cloud_tree* tree, const tact_vec3* points,
                                  tact_cloud_field* field)
{
    *field = (tact_cloud_field){0};
    if (tree->point_count == 0) return TACT_OK;
    lay_out(tree, field);
    const float width = field->scale > 0.0f ? 1.0f / field->scale : 0.0f;
    const size_t count = (size_t)field->size[0] * field->size[1] * field->size[2];
    tact_closest_query* queries = tact_allocate(env, count, sizeof *queries);
    tact_cloud_neighbour* nearest = tact_allocate(env, count, sizeof *nearest);
    field->cells = tact_allocate(env, count, sizeof *field->cells);
    tact_result result = queries && nearest && field->cells ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        write_middles(field, width, queries);
        const tact_cloud_job job = {
            .tree = tree, .points = points, .queries = queries, .batch = {.count = count, .threads = threads}};
        result = tact_cloud_nearest_cpu(env, &job, 1, nearest);
    }
    for (size_t c = 0; result == TACT_OK && c < count; ++c)
        field->cells[c] = make_cell(&queries[c], &nearest[c], points, width);
    tact_release(env, queries);
    tact_release(env, nearest);
    if (result == TACT_OK) return TACT_OK;
    tact_release(env, field->cells);
    *field = (tact_cloud_field){0};
    return result;
}

uint64_t tact_cloud_field_bytes(const tact_cloud_field* field)
{
    return (uint64_t)field->size[0] * field->size[1] * field->size[2] * sizeof *field->cells;
}
