// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Loose octrees: lists of boxes in cells that are found by their codes.

#include <string.h>

#include "cpu_ref/index/box_tests.h"
#include "cpu_ref/index/code_map.h"
#include "cpu_ref/index/volume_tree.h"
#include "tact/geometry/octree.h"

enum {
    MOST_LEVELS = 20,
    STACK = 7 * (MOST_LEVELS + 1) + 8,  ///< cells that wait: seven beside each on the way down
};

#define NONE 0xffffffffu
/// Of a free id or cell, in its link.
#define FREE 0xfffffffeu

typedef struct loose_cell {
    uint64_t code;
    uint32_t first;            ///< box; of a free cell the next free one
    uint32_t children;         ///< a bit for each that is there
    float lower[3], upper[3];  ///< how far it reaches
    uint32_t child[8];         ///< numbers of the children that are there
} loose_cell;

typedef struct loose_box {
    tact_aabb box;
    uint32_t cell;          ///< FREE for a free id
    uint32_t next, before;  ///< in the cell's list; of a free id the next free one
} loose_box;

struct tact_loose_octree {
    tact_env env;
    double origin[3], side;  ///< of the cube
    uint32_t levels;
    tact_code_map places;
    loose_cell* cells;  ///< the root first
    loose_box* boxes;   ///< by id
    size_t cell_capacity, box_capacity;
    uint32_t cell_end, free_cell, box_end, free_box;
    size_t cell_count, count;
};

// ---- Cells ----

static float rounded(double x)
{
    return x > (double)FLT_MAX ? INFINITY : x < -(double)FLT_MAX ? -INFINITY : (float)x;
}

/// How far a cell reaches, with half its size on each side. Cells around it reach further, rounded too.
static void reach_of(const tact_loose_octree* t, uint64_t code, float lower[3], float upper[3])
{
    const double size = ldexp(t->side, -(int)tact_octree_code_level(code));
    const tact_voxel c = tact_octree_code_cell(code);
    const uint32_t at[3] = {c.x, c.y, c.z};
    for (int k = 0; k < 3; ++k) {
        lower[k] = rounded(t->origin[k] + ((double)at[k] - 0.5) * size);
        upper[k] = rounded(t->origin[k] + ((double)at[k] + 1.5) * size);
    }
}

static bool holds(const tact_loose_octree* t, uint64_t code, const tact_aabb* b)
{
    float lower[3], upper[3];
    reach_of(t, code, lower, upper);
    return lower[0] <= b->lower.x && b->upper.x <= upper[0] && lower[1] <= b->lower.y && b->upper.y <= upper[1] &&
           lower[2] <= b->lower.z && b->upper.z <= upper[2];
}

/// The cell of a box: the smallest that is as large, around its middle; the root where there is none.
static uint64_t code_for(const tact_loose_octree* t, const tact_aabb* b)
{
    const float* const lower = &b->lower.x;
    const float* const upper = &b->upper.x;
    double widest = 0.0, middle[3];
    uint32_t level = 0;
    for (int k = 0; k < 3; ++k) {
        widest = fmax(widest, (double)upper[k] - (double)lower[k]);
        middle[k] = (0.5 * ((double)lower[k] + (double)upper[k]) - t->origin[k]) / t->side;
        if (!(middle[k] >= 0.0 && middle[k] < 1.0)) return 1;
    }
    while (level < t->levels && ldexp(t->side, -(int)level - 1) >= widest)
        ++level;
    const tact_voxel c = {(uint32_t)ldexp(middle[0], (int)level), (uint32_t)ldexp(middle[1], (int)level),
                          (uint32_t)ldexp(middle[2], (int)level)};
    uint64_t code = tact_octree_code(level, c);
    // Rounding may put it out of reach by a little. Cells around it are larger.
    while (code > 1 && !holds(t, code, b))
        code >>= 3;
    return code;
}

static uint32_t cell_at(const tact_loose_octree* t, uint64_t code)
{
    return tact_code_map_find(&t->places, code);
}

/// Room for a cell and all around it. False when out of memory.
static bool reserve_cells(tact_loose_octree* t)
{
    void* cells = t->cells;
    const size_t more = t->levels + 1;
    const bool good =
        tact_reserve(&t->env, &cells, &t->cell_capacity, t->cell_end, t->cell_end + more, sizeof *t->cells);
    t->cells = cells;
    return good && tact_code_map_reserve(&t->places, &t->env, more);
}

/// The number of a cell, which is made with those around it where it is not there.
static uint32_t make_cell(tact_loose_octree* t, uint64_t code)
{
    uint32_t made = NONE, below = 0, which = 0;
    for (uint64_t at = code;; at >>= 3) {
        uint32_t cell = cell_at(t, at);
        const bool there = cell != NONE;
        if (!there) {
            cell = t->free_cell != NONE ? t->free_cell : t->cell_end++;
            if (t->free_cell != NONE) t->free_cell = t->cells[cell].first;
            TACT_ASSERT(cell < t->cell_capacity);
            t->cells[cell] = (loose_cell){.code = at, .first = NONE};
            reach_of(t, at, t->cells[cell].lower, t->cells[cell].upper);
            tact_code_map_put(&t->places, at, cell);
            ++t->cell_count;
        }
        if (made == NONE) {
            made = cell;
        } else {
            t->cells[cell].children |= 1u << which;
            t->cells[cell].child[which] = below;
        }
        if (there || at == 1) return made;
        which = (uint32_t)(at & 7);
        below = cell;
    }
}

/// Takes away cells without boxes in or below them, from one upwards.
static void drop_cells(tact_loose_octree* t, uint32_t cell)
{
    while (t->cells[cell].first == NONE && t->cells[cell].children == 0 && t->cells[cell].code != 1) {
        const uint64_t code = t->cells[cell].code;
        tact_code_map_remove(&t->places, code);
        t->cells[cell].code = 0;
        t->cells[cell].first = t->free_cell;
        t->free_cell = cell;
        --t->cell_count;
        cell = cell_at(t, code >> 3);
        t->cells[cell].children &= ~(1u << (code & 7));
    }
}

static void put_in(tact_loose_octree* t, uint32_t id, uint32_t cell)
{
    loose_box* b = &t->boxes[id];
    b->cell = cell;
    b->before = NONE;
    b->next = t->cells[cell].first;
    if (b->next != NONE) t->boxes[b->next].before = id;
    t->cells[cell].first = id;
}

/// Takes a box out of its cell's list; the cell stays, whose number it returns.
static uint32_t take_out(tact_loose_octree* t, uint32_t id)
{
    const loose_box* b = &t->boxes[id];
    if (b->next != NONE) t->boxes[b->next].before = b->before;
    if (b->before != NONE) {
        t->boxes[b->before].next = b->next;
    } else {
        t->cells[b->cell].first = b->next;
    }
    return b->cell;
}

// ---- Making and changing ----

tact_result tact_loose_octree_create(tact_aabb world, uint32_t levels, const tact_allocator* allocator,
                                     tact_loose_octree** tree)
{
    tact_env env;
    tact_error_begin(NULL);
    if (!tree) return tact_null(NULL, "tree");
    *tree = NULL;
    const double x = (double)world.upper.x - (double)world.lower.x, y = (double)world.upper.y - (double)world.lower.y,
                 z = (double)world.upper.z - (double)world.lower.z, side = fmax(x, fmax(y, z));
    if (!tact_volume_is_box(&world) || !(side > 0.0))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "the world is empty, infinite, a point or has a NaN");
    if (levels < 1 || levels > MOST_LEVELS)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "%u levels are not between 1 and %d", (unsigned)levels,
                         MOST_LEVELS);
    tact_env_init(&env, allocator, NULL, NULL, NULL, NULL);
    tact_loose_octree* t = tact_allocate_zeroed(&env, 1, sizeof *t);
    if (!t) return TACT_ERROR_OUT_OF_MEMORY;
    tact_env_init(&t->env, allocator, NULL, NULL, NULL, NULL);
    t->origin[0] = (double)world.lower.x;
    t->origin[1] = (double)world.lower.y;
    t->origin[2] = (double)world.lower.z;
    t->side = side;
    t->levels = levels;
    t->free_cell = t->free_box = NONE;
    if (!reserve_cells(t)) {
        tact_loose_octree_destroy(t);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    make_cell(t, 1);
    *tree = t;
    return TACT_OK;
}

void tact_loose_octree_destroy(tact_loose_octree* tree)
{
    if (!tree) return;
    const tact_allocator allocator = tree->env.allocator;
    tact_release(&tree->env, tree->places.entries);
    tact_release(&tree->env, tree->cells);
    tact_release(&tree->env, tree->boxes);
    allocator.release(tree, allocator.user);
}

tact_loose_octree_info tact_loose_octree_get_info(const tact_loose_octree* tree)
{
    if (!tree) return (tact_loose_octree_info){0};
    const size_t bytes = sizeof *tree + tree->cell_capacity * sizeof *tree->cells +
                         tree->box_capacity * sizeof *tree->boxes + tree->places.size * sizeof *tree->places.entries;
    return (tact_loose_octree_info){
        .count = tree->count, .cells = tree->cell_count, .id_end = tree->box_end, .bytes = bytes};
}

tact_result tact_loose_octree_insert(tact_loose_octree* tree, tact_aabb box, uint32_t* id)
{
    tact_error_begin(NULL);
    if (!tree) return tact_null(NULL, "tree");
    if (!id) return tact_null(NULL, "id");
    *id = NONE;
    const tact_result result = tact_volume_check_new(&box, tree->count);
    if (result < 0) return result;
    void* boxes = tree->boxes;
    const bool good = reserve_cells(tree) && tact_reserve(&tree->env, &boxes, &tree->box_capacity, tree->box_end,
                                                          (size_t)tree->box_end + 1, sizeof *tree->boxes);
    tree->boxes = boxes;
    if (!good) return TACT_ERROR_OUT_OF_MEMORY;
    const uint32_t at = tree->free_box != NONE ? tree->free_box : tree->box_end++;
    if (tree->free_box != NONE) tree->free_box = tree->boxes[at].next;
    tree->boxes[at].box = box;
    put_in(tree, at, make_cell(tree, code_for(tree, &box)));
    ++tree->count;
    *id = at;
    return TACT_OK;
}

static tact_result check_id(const tact_loose_octree* tree, uint32_t id)
{
    if (!tree) return tact_null(NULL, "tree");
    if (id >= tree->box_end || tree->boxes[id].cell == FREE)
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "no box has the id %u", (unsigned)id);
    return TACT_OK;
}

tact_result tact_loose_octree_remove(tact_loose_octree* tree, uint32_t id)
{
    tact_error_begin(NULL);
    const tact_result result = check_id(tree, id);
    if (result != TACT_OK) return result;
    drop_cells(tree, take_out(tree, id));
    tree->boxes[id].cell = FREE;
    tree->boxes[id].next = tree->free_box;
    tree->free_box = id;
    --tree->count;
    return TACT_OK;
}

tact_result tact_loose_octree_move(tact_loose_octree* tree, uint32_t id, tact_aabb box)
{
    tact_error_begin(NULL);
    const tact_result result = check_id(tree, id);
    if (result != TACT_OK) return result;
    if (!tact_volume_is_box(&box))
        return tact_fail(NULL, TACT_ERROR_INVALID_ARGUMENT, "the box is empty, infinite or has a NaN");
    const uint64_t code = code_for(tree, &box);
    if (code != tree->cells[tree->boxes[id].cell].code) {
        if (!reserve_cells(tree)) return TACT_ERROR_OUT_OF_MEMORY;
        const uint32_t cell = make_cell(tree, code);
        const uint32_t before = take_out(tree, id);
        put_in(tree, id, cell);
        // Last: the new cell may be around the old one, and have nothing else in it.
        drop_cells(tree, before);
    }
    tree->boxes[id].box = box;
    return TACT_OK;
}

// ---- Searches ----

static void sides_of(const tact_aabb* b, float lower[3], float upper[3])
{
    memcpy(lower, &b->lower, 3 * sizeof *lower);
    memcpy(upper, &b->upper, 3 * sizeof *upper);
}

bool tact_loose_octree_each_in_box(const tact_loose_octree* tree, tact_aabb box, tact_volume_fn* found, void* user)
{
    uint32_t stack[STACK], depth = 0;
    float lower[3], upper[3];
    if (!(box.lower.x <= box.upper.x && box.lower.y <= box.upper.y && box.lower.z <= box.upper.z)) return true;
    stack[depth++] = 0;
    while (depth > 0) {
        const loose_cell* cell = &tree->cells[stack[--depth]];
        for (uint32_t id = cell->first; id != NONE; id = tree->boxes[id].next) {
            sides_of(&tree->boxes[id].box, lower, upper);
            if (tact_sides_meet(&box, lower, upper) && !found(id, user)) return false;
        }
        for (uint32_t left = cell->children; left; left &= left - 1) {
            const uint32_t child = cell->child[tact_lowest_bit(left)];
            TACT_ASSERT(depth < STACK);
            if (tact_sides_meet(&box, tree->cells[child].lower, tree->cells[child].upper)) stack[depth++] = child;
        }
    }
    return true;
}

bool tact_loose_octree_each_in_frustum(const tact_loose_octree* tree, const tact_frustum* frustum,
                                       tact_volume_fn* found, void* user)
{
    typedef struct entry {
        uint32_t cell, planes;
    } entry;
    entry stack[STACK];
    uint32_t depth = 0;
    if (!frustum->planes) return true;
    stack[depth++] = (entry){0, frustum->planes};
    while (depth > 0) {
        const entry e = stack[--depth];
        const loose_cell* cell = &tree->cells[e.cell];
        for (uint32_t id = cell->first; id != NONE; id = tree->boxes[id].next) {
            uint32_t planes = e.planes;
            const tact_aabb b = tree->boxes[id].box;
            if (planes && tact_frustum_aabb_masked(frustum, b, &planes, NULL) == TACT_OUTSIDE) continue;
            if (!found(id, user)) return false;
        }
        for (uint32_t left = cell->children; left; left &= left - 1) {
            const uint32_t child = cell->child[tact_lowest_bit(left)];
            uint32_t planes = e.planes;
            TACT_ASSERT(depth < STACK);
            if (tact_sides_may_be_in(frustum, tree->cells[child].lower, tree->cells[child].upper, &planes))
                stack[depth++] = (entry){child, planes};
        }
    }
    return true;
}

float tact_loose_octree_ray(const tact_loose_octree* tree, const tact_ray* ray, tact_volume_ray_fn* met, void* user)
{
    typedef struct entry {
        uint32_t cell;
        float from;
    } entry;
    entry stack[STACK];
    uint32_t depth = 0;
    float lower[3], upper[3], from, end = ray->tmax;
    if (!d_ray_valid(ray)) return end;
    const tact_slab_ray r = tact_slab_ray_of(ray);
    stack[depth++] = (entry){0, ray->tmin};
    while (depth > 0) {
        const entry e = stack[--depth];
        const loose_cell* cell = &tree->cells[e.cell];
        if (e.from > end) continue;
        for (uint32_t id = cell->first; id != NONE; id = tree->boxes[id].next) {
            sides_of(&tree->boxes[id].box, lower, upper);
            if (!tact_sides_on_ray(&r, lower, upper, end, &from)) continue;
            const float now = met(id, ray, end, user);
            end = now < end ? now : end;
            if (end < ray->tmin) return end;
        }
        const uint32_t bottom = depth;
        for (uint32_t left = cell->children; left; left &= left - 1) {
            const uint32_t child = cell->child[tact_lowest_bit(left)];
            if (!tact_sides_on_ray(&r, tree->cells[child].lower, tree->cells[child].upper, end, &from)) continue;
            // The nearest last, so that it is taken first.
            uint32_t at = depth++;
            TACT_ASSERT(depth <= STACK);
            for (; at > bottom && stack[at - 1].from < from; --at)
                stack[at] = stack[at - 1];
            stack[at] = (entry){child, from};
        }
    }
    return end;
}
