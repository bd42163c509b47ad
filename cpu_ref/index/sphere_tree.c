// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "tact/geometry/sphere_tree.h"

#include <math.h>
#include <string.h>

#include "base/env.h"
#include "cpu_ref/geometry/vec.h"
#include "tact/geometry/aabb.h"
#include "tact/geometry/bounding_sphere.h"
#include "tact/geometry/voxels.h"

enum { USUAL_LEVELS = 3, USUAL_CHILDREN = 8, USUAL_CELLS = 64, MOST_CHILDREN = 64, MOST_CELLS = 256, ROUNDS = 8 };

/// Cells that lie together in the list, and, of an octree, the cube that they are in.
typedef struct region {
    uint32_t begin, end;
    uint32_t cube[3], size;  ///< lower corner and width, in cells
} region;

typedef struct work {
    tact_env* env;
    tact_sphere_tree_settings settings;
    tact_voxel_grid grid;
    tact_voxel *cells, *sorted;
    uint8_t* group;  ///< of each cell
    size_t cell_count, cell_room;
    tact_vec3* corners;  ///< of a region's rows
    size_t corner_room;
    region *regions, *next;
    size_t region_count, region_room, next_count, next_room;
    size_t sphere_room, child_room;
} work;

// ---- Cells ----

static tact_result collect_cells(work* w, const tact_voxels* voxels)
{
    const uint32_t* n = w->grid.count;
    for (uint32_t z = 0; z < n[2]; ++z) {
        for (uint32_t y = 0; y < n[1]; ++y) {
            for (uint32_t x = 0; x < n[0]; ++x) {
                const tact_voxel cell = {x, y, z};
                if (!tact_voxels_get(voxels, cell)) continue;
                if (!tact_reserve(w->env, (void**)&w->cells, &w->cell_room, w->cell_count, w->cell_count + 1,
                                  sizeof cell)) {
                    return TACT_ERROR_OUT_OF_MEMORY;
                }
                w->cells[w->cell_count++] = cell;
            }
        }
    }
    return TACT_OK;
}

static tact_result fill_cells(work* w, const tact_mesh_view* mesh)
{
    tact_voxels* voxels = NULL;
    const tact_aabb box = tact_aabb_from_points(mesh->positions, mesh->vertex_count, 0);
    if (mesh->triangle_count == 0 || !tact_voxel_grid_fit(box, w->settings.cells, &w->grid)) {
        return tact_fail(w->env, TACT_ERROR_INVALID_ARGUMENT,
                         "the mesh has no triangles, or its vertices are not finite or too far away for their size");
    }
    tact_result result = tact_voxels_create(&w->grid, TACT_VOXELS_SPARSE, &w->env->allocator, &voxels);
    if (result >= 0) result = tact_voxels_fill_solid(voxels, mesh);
    if (result >= 0) result = collect_cells(w, voxels);
    tact_voxels_destroy(voxels);
    if (result < 0) return result;
    w->sorted = tact_allocate(w->env, w->cell_count, sizeof *w->sorted);
    w->group = tact_allocate(w->env, w->cell_count, sizeof *w->group);
    return w->sorted && w->group ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

// ---- Spheres ----

static bool add_corners(work* w, size_t* count, tact_voxel cell)
{
    const tact_aabb box = tact_voxel_box(&w->grid, cell);
    if (!tact_reserve(w->env, (void**)&w->corners, &w->corner_room, *count, *count + 8, sizeof *w->corners)) {
        return false;
    }
    for (int i = 0; i < 8; ++i) {
        w->corners[(*count)++] = (tact_vec3){i & 1 ? box.upper.x : box.lower.x, i & 2 ? box.upper.y : box.lower.y,
                                             i & 4 ? box.upper.z : box.lower.z};
    }
    return true;
}

/// The smallest sphere around the cells of a region, which are in order: of each row the first and the last.
static bool enclose(work* w, const region* r, tact_sphere* sphere)
{
    size_t count = 0;
    for (uint32_t i = r->begin; i < r->end; ++i) {
        const tact_voxel* c = &w->cells[i];
        const bool first = i == r->begin || c[-1].y != c->y || c[-1].z != c->z;
        const bool last = i + 1 == r->end || c[1].y != c->y || c[1].z != c->z;
        if ((first || last) && !add_corners(w, &count, *c)) return false;
    }
    *sphere = tact_sphere_fit_smallest(w->corners, count, 0);
    return true;
}

static tact_result add_sphere(work* w, const region* r, tact_sphere_tree* tree)
{
    tact_sphere sphere;
    if (!enclose(w, r, &sphere) || !tact_reserve(w->env, (void**)&tree->spheres, &w->sphere_room, tree->sphere_count,
                                                 tree->sphere_count + 1, sizeof sphere)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tree->spheres[tree->sphere_count++] = sphere;
    return TACT_OK;
}

// ---- Groups of a region's cells ----

static uint32_t group_by_cubes(work* w, const region* r)
{
    const uint32_t half = r->size / 2;
    for (uint32_t i = r->begin; i < r->end; ++i) {
        const tact_voxel* c = &w->cells[i];
        w->group[i] = (uint8_t)((c->x - r->cube[0] >= half) | (c->y - r->cube[1] >= half) << 1 |
                                (c->z - r->cube[2] >= half) << 2);
    }
    return 8;
}

static dvec center_of(const tact_voxel* c)
{
    return d_make((double)c->x, (double)c->y, (double)c->z);
}

/// The cells from which each next one is farthest from those before it, the first one from the mean.
static uint32_t choose_seeds(const work* w, const region* r, dvec mean, double* nearest, dvec seeds[MOST_CHILDREN])
{
    uint32_t count = 0;
    for (uint32_t i = r->begin; i < r->end; ++i)
        nearest[i - r->begin] = HUGE_VAL;
    dvec from = mean;
    while (count < w->settings.children) {
        double most = 0.0;
        uint32_t best = r->end;
        for (uint32_t i = r->begin; i < r->end; ++i) {
            const dvec way = d_sub(center_of(&w->cells[i]), from);
            double* near = &nearest[i - r->begin];
            const double square = d_dot(way, way);
            if (count == 0 || square < *near) *near = square;
            if (!(*near > most)) continue;
            most = *near;
            best = i;
        }
        if (best == r->end) break;
        if (count == 0) {
            for (uint32_t i = r->begin; i < r->end; ++i)
                nearest[i - r->begin] = HUGE_VAL;
        }
        from = seeds[count++] = center_of(&w->cells[best]);
    }
    return count;
}

/// Groups about means (Lloyd, "Least squares quantization in PCM", 1982). A region of one cell is one group.
static uint32_t group_by_means(work* w, const region* r, double* nearest)
{
    dvec mean = d_make(0.0, 0.0, 0.0), seeds[MOST_CHILDREN], sums[MOST_CHILDREN];
    double counts[MOST_CHILDREN];
    for (uint32_t i = r->begin; i < r->end; ++i)
        mean = d_add(mean, center_of(&w->cells[i]));
    mean = d_scale(mean, 1.0 / (double)(r->end - r->begin));
    uint32_t count = choose_seeds(w, r, mean, nearest, seeds);
    if (count == 0) {
        w->group[r->begin] = 0;
        return 1;
    }
    for (int round = 0; round < ROUNDS; ++round) {
        for (uint32_t k = 0; k < count; ++k) {
            sums[k] = d_make(0.0, 0.0, 0.0);
            counts[k] = 0.0;
        }
        for (uint32_t i = r->begin; i < r->end; ++i) {
            const dvec at = center_of(&w->cells[i]);
            double least = HUGE_VAL;
            for (uint32_t k = 0; k < count; ++k) {
                const dvec way = d_sub(at, seeds[k]);
                const double square = d_dot(way, way);
                if (!(square < least)) continue;
                least = square;
                w->group[i] = (uint8_t)k;
            }
            sums[w->group[i]] = d_add(sums[w->group[i]], at);
            counts[w->group[i]] += 1.0;
        }
        for (uint32_t k = 0; k < count; ++k)
            if (counts[k] > 0.0) seeds[k] = d_scale(sums[k], 1.0 / counts[k]);
    }
    return count;
}

/// Puts the cells of a region in order of their groups, each in its order before, and adds the groups that there are.
static bool divide(work* w, const region* r, uint32_t groups)
{
    uint32_t start[MOST_CHILDREN + 1] = {0};
    for (uint32_t i = r->begin; i < r->end; ++i)
        ++start[w->group[i] + 1];
    for (uint32_t k = 0; k < groups; ++k)
        start[k + 1] += start[k];
    uint32_t place[MOST_CHILDREN];
    memcpy(place, start, sizeof place);
    for (uint32_t i = r->begin; i < r->end; ++i)
        w->sorted[r->begin + place[w->group[i]]++] = w->cells[i];
    memcpy(w->cells + r->begin, w->sorted + r->begin, (r->end - r->begin) * sizeof *w->cells);
    for (uint32_t k = 0; k < groups; ++k) {
        if (start[k] == start[k + 1]) continue;
        const uint32_t half = r->size / 2;
        const region part = {
            .begin = r->begin + start[k],
            .end = r->begin + start[k + 1],
            .cube = {r->cube[0] + (k & 1 ? half : 0), r->cube[1] + (k & 2 ? half : 0), r->cube[2] + (k & 4 ? half : 0)},
            .size = half};
        if (!tact_reserve(w->env, (void**)&w->next, &w->next_room, w->next_count, w->next_count + 1, sizeof part)) {
            return false;
        }
        w->next[w->next_count++] = part;
    }
    return true;
}

// ---- Levels ----

static tact_result add_level(work* w, double* nearest, tact_sphere_tree* tree)
{
    const bool octree = w->settings.method == TACT_SPHERE_TREE_OCTREE;
    w->next_count = 0;
    for (size_t i = 0; i < w->region_count; ++i) {
        const region* r = &w->regions[i];
        const size_t before = w->next_count;
        if (!tact_reserve(w->env, (void**)&tree->first_child, &w->child_room, tree->level_start[tree->level_count - 1],
                          tree->level_start[tree->level_count - 1] + w->region_count + 2, sizeof *tree->first_child)) {
            return TACT_ERROR_OUT_OF_MEMORY;
        }
        tree->first_child[tree->level_start[tree->level_count - 1] + i] = (uint32_t)tree->sphere_count;
        uint32_t groups = 1;
        if (octree && r->size > 1) {
            groups = group_by_cubes(w, r);
        } else if (octree) {
            w->group[r->begin] = 0;
        } else {
            groups = group_by_means(w, r, nearest);
        }
        if (!divide(w, r, groups)) return TACT_ERROR_OUT_OF_MEMORY;
        for (size_t k = before; k < w->next_count; ++k) {
            const tact_result result = add_sphere(w, &w->next[k], tree);
            if (result < 0) return result;
        }
    }
    region* const regions = w->regions;
    const size_t room = w->region_room;
    w->regions = w->next;
    w->region_count = w->next_count;
    w->region_room = w->next_room;
    w->next = regions;
    w->next_room = room;
    tree->level_start[++tree->level_count] = (uint32_t)tree->sphere_count;
    return TACT_OK;
}

/// Those of the last level have no children.
static tact_result end_children(work* w, tact_sphere_tree* tree)
{
    const size_t first = tree->level_start[tree->level_count - 1];
    if (!tact_reserve(w->env, (void**)&tree->first_child, &w->child_room, first, tree->sphere_count + 1,
                      sizeof *tree->first_child)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = first; i <= tree->sphere_count; ++i)
        tree->first_child[i] = (uint32_t)tree->sphere_count;
    return TACT_OK;
}

static tact_result add_levels(work* w, tact_sphere_tree* tree)
{
    uint32_t size = 1;
    for (int k = 0; k < 3; ++k)
        while (size < w->grid.count[k])
            size *= 2;
    const region whole = {.end = (uint32_t)w->cell_count, .size = size};
    double* nearest = tact_allocate(w->env, w->cell_count, sizeof *nearest);
    tact_result result = nearest && tact_reserve(w->env, (void**)&w->regions, &w->region_room, 0, 1, sizeof whole)
                             ? TACT_OK
                             : TACT_ERROR_OUT_OF_MEMORY;
    if (result >= 0) {
        w->regions[w->region_count++] = whole;
        result = add_sphere(w, &whole, tree);
        tree->level_start[++tree->level_count] = (uint32_t)tree->sphere_count;
    }
    while (result >= 0 && tree->level_count < w->settings.levels)
        result = add_level(w, nearest, tree);
    if (result >= 0) result = end_children(w, tree);
    tact_release(w->env, nearest);
    return result;
}

static tact_result check_settings(work* w)
{
    tact_sphere_tree_settings* s = &w->settings;
    if (s->levels == 0) s->levels = USUAL_LEVELS;
    if (s->children == 0) s->children = USUAL_CHILDREN;
    if (s->cells == 0) s->cells = USUAL_CELLS;
    if ((unsigned)s->method > TACT_SPHERE_TREE_OCTREE) {
        return tact_fail(w->env, TACT_ERROR_INVALID_ARGUMENT, "method is %d", (int)s->method);
    }
    if (s->levels > TACT_SPHERE_TREE_LEVELS || s->children < 2 || s->children > MOST_CHILDREN || s->cells < 2 ||
        s->cells > MOST_CELLS) {
        return tact_fail(w->env, TACT_ERROR_INVALID_ARGUMENT,
                         "%u levels, of at most %d, %u children, of 2 to %d, %u cells, of 2 to %d", (unsigned)s->levels,
                         TACT_SPHERE_TREE_LEVELS, (unsigned)s->children, MOST_CHILDREN, (unsigned)s->cells, MOST_CELLS);
    }
    return TACT_OK;
}

tact_result tact_sphere_tree_make(const tact_mesh_view* mesh, const tact_sphere_tree_settings* settings,
                                  const tact_allocator* allocator, tact_sphere_tree* tree)
{
    tact_env env;
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    *tree = (tact_sphere_tree){.allocator = env.allocator};
    work w = {.env = &env};
    if (settings) w.settings = *settings;
    tact_result result = check_settings(&w);
    if (result >= 0) result = fill_cells(&w, mesh);
    if (result >= 0) result = add_levels(&w, tree);
    void* const arrays[] = {w.cells, w.sorted, w.group, w.corners, w.regions, w.next};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i)
        tact_release(&env, arrays[i]);
    if (result < 0) tact_sphere_tree_free(tree);
    return result;
}

void tact_sphere_tree_free(tact_sphere_tree* tree)
{
    if (tree->spheres) tree->allocator.release(tree->spheres, tree->allocator.user);
    if (tree->first_child) tree->allocator.release(tree->first_child, tree->allocator.user);
    memset(tree, 0, sizeof *tree);
}
