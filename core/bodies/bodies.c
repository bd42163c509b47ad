// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/bodies/bodies.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "core/volumes/volumes.h"

static tact_env* env_of(const tact_bodies* set)
{
    return &set->context->env;
}

tact_result tact_bodies_create(tact_context* context, tact_bodies** set)
{
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!set) return tact_null(&context->env, "set");
    *set = NULL;
    tact_bodies* made = tact_allocate_zeroed(&context->env, 1, sizeof *made);
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    made->context = context;
    const tact_result result = tact_volumes_create(context, NULL, &made->boxes);
    if (result != TACT_OK) {
        tact_release(&context->env, made);
        return result;
    }
    tact_guard_init(&made->guard);
    ++context->objects;
    *set = made;
    return TACT_OK;
}

void tact_bodies_destroy(tact_bodies* set)
{
    if (!set) return;
    tact_env* env = env_of(set);
    TACT_ASSERT(!set->grains);
    tact_residents_release(set->kept, TACT_MAX_DEVICES);
    tact_guard_destroy(&set->guard);
    tact_volumes_destroy(set->boxes);
    tact_shape_tables_release(env, &set->tables);
    tact_release(env, set->shapes);
    tact_release(env, set->words);
    tact_contact_items_release(env, &set->items);
    tact_release(env, set->bodies);
    tact_release(env, set->rows);
    tact_release(env, set->contacts);
    tact_contact_history_release(env, &set->history);
    tact_release(env, set->casts);
    tact_body_tree_release(env, &set->tree);
    tact_cast_items_release(env, &set->cast_items);
    tact_cast_hits_release(env, &set->cast_hits);
    tact_gap_items_release(env, &set->gap_items);
    tact_release(env, set->gap_best);
    tact_release(env, set->distances.rows);
    tact_release(env, set->near_items);
    tact_release(env, set->near_asked);
    tact_release(env, set->nearest.rows);
    --set->context->objects;
    tact_release(env, set);
}

void tact_take_categories(tact_categories* categories)
{
    if (categories->category == 0 && categories->mask == 0) *categories = TACT_CATEGORIES_ALL;
}

tact_result tact_take_pose(const tact_bodies* set, tact_pose* pose, const char* what, size_t number)
{
    tact_env* env = env_of(set);
    if (!(fabs(pose->x) <= TACT_MOST_PLACE && fabs(pose->y) <= TACT_MOST_PLACE && fabs(pose->z) <= TACT_MOST_PLACE))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s %zu: a position not within 2^40", what, number);
    double length;
    if (!tact_take_rotation(&pose->rotation, &length))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s %zu: a rotation of length %g", what, number, length);
    if (!tact_take_scale(&pose->scale))
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%s %zu: a scale of %g", what, number, (double)pose->scale);
    return TACT_OK;
}

tact_result tact_check_asked_shape(const tact_bodies* set, uint32_t shape, bool parts, const char* what, size_t number)
{
    if (shape >= set->shape_count)
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "%s %zu: no shape %u", what, number, shape);
    const uint32_t kind = set->tables.shapes[TACT_SHAPE_ROWS * (size_t)shape].x;
    if (kind == TACT_KIND_HALF_SPACE)
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "%s %zu: a half-space", what, number);
    if (!parts && kind > TACT_KIND_HALF_SPACE)
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "%s %zu: a shape with parts", what, number);
    return TACT_OK;
}

static tact_result take_body(const tact_bodies* set, const tact_body* given, size_t number, tact_body* body)
{
    *body = *given;
    if (body->shape >= set->shape_count) {
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "body %zu: no shape %u", number, body->shape);
    }
    if (!tact_is_length(body->margin))
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "body %zu: a margin of %g", number,
                         (double)body->margin);
    tact_take_categories(&body->categories);
    return tact_take_pose(set, &body->pose, "body", number);
}

/// What is made of bodies before they are in the set.
typedef struct arrivals {
    tact_body* bodies;
    float4* rows;
    tact_aabb* boxes;
    tact_categories* categories;
    uint32_t* ids;
} arrivals;

static void release_arrivals(tact_env* env, arrivals* a)
{
    tact_release(env, a->bodies);
    tact_release(env, a->rows);
    tact_release(env, a->boxes);
    tact_release(env, a->categories);
    tact_release(env, a->ids);
}

static bool make_arrivals(tact_env* env, arrivals* a, size_t count)
{
    a->bodies = tact_allocate(env, count, sizeof *a->bodies);
    a->rows = tact_allocate(env, count, TACT_POSED_ROWS * sizeof *a->rows);
    a->boxes = tact_allocate(env, count, sizeof *a->boxes);
    a->categories = tact_allocate(env, count, sizeof *a->categories);
    a->ids = tact_allocate(env, count, sizeof *a->ids);
    return a->bodies && a->rows && a->boxes && a->categories && a->ids;
}

static bool reserve_bodies(tact_bodies* set, size_t count)
{
    void *bodies = set->bodies, *rows = set->rows;
    const size_t used = tact_volumes_id_end(set->boxes);
    bool good = tact_reserve(env_of(set), &bodies, &set->body_capacity, used, used + count, sizeof *set->bodies);
    set->bodies = bodies;
    good = good && tact_reserve(env_of(set), &rows, &set->row_capacity, used, used + count,
                                TACT_POSED_ROWS * sizeof *set->rows);
    set->rows = rows;
    return good;
}

static tact_result add(tact_bodies* set, const tact_body* bodies, size_t count, arrivals* a)
{
    for (size_t i = 0; i < count; ++i) {
        const tact_result result = take_body(set, &bodies[i], i, &a->bodies[i]);
        if (result != TACT_OK) return result;
        const tact_body* b = &a->bodies[i];
        tact_body_rows(&b->pose, b->shape, b->margin, &a->rows[TACT_POSED_ROWS * i]);
        a->boxes[i] = tact_body_box(&set->tables, &a->rows[TACT_POSED_ROWS * i], &b->pose);
        a->categories[i] = b->categories;
    }
    if (!reserve_bodies(set, count)) return TACT_ERROR_OUT_OF_MEMORY;
    const tact_result result = tact_volumes_add_aabbs(set->boxes, a->boxes, count, a->categories, NULL, a->ids);
    if (result != TACT_OK) return result;
    for (size_t i = 0; i < count; ++i) {
        set->bodies[a->ids[i]] = a->bodies[i];
        memcpy(&set->rows[TACT_POSED_ROWS * (size_t)a->ids[i]], &a->rows[TACT_POSED_ROWS * i],
               TACT_POSED_ROWS * sizeof *a->rows);
    }
    return TACT_OK;
}

tact_result tact_bodies_add(tact_bodies* set, const tact_body* bodies, size_t count, uint32_t* ids)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = env_of(set);
    if (count == 0) return TACT_OK;
    if (!bodies) return tact_null(env, "bodies");
    if (count > TACT_MAX_VOLUMES) return tact_fail(env, TACT_ERROR_LIMIT, "%zu bodies: at most 2^30", count);
    tact_guard_check(&set->guard);
    arrivals a = {0};
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (make_arrivals(env, &a, count)) {
        tact_float_env float_env;
        tact_float_env_enter(&float_env);
        result = add(set, bodies, count, &a);
        tact_float_env_leave(&float_env);
    }
    if (result == TACT_OK && ids) memcpy(ids, a.ids, count * sizeof *ids);
    release_arrivals(env, &a);
    return result;
}

tact_result tact_bodies_remove(tact_bodies* set, const uint32_t* ids, size_t count)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&set->guard);
    const tact_result result = tact_volumes_remove(set->boxes, ids, count);
    // In records, which have the bodies by id, it meets nothing.
    for (size_t i = 0; i < count && result == TACT_OK; ++i)
        set->bodies[ids[i]].categories = (tact_categories){0, 1};
    return result;
}

static tact_result move(tact_bodies* set, const uint32_t* ids, const tact_pose* poses, size_t count, tact_pose* taken,
                        tact_aabb* boxes)
{
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids ? ids[i] : (uint32_t)i;
        if (!tact_volumes_contains(set->boxes, id))
            return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "id %u (number %zu) is not in the set", id, i);
        taken[i] = poses[i];
        const tact_result result = tact_take_pose(set, &taken[i], "pose", i);
        if (result != TACT_OK) return result;
        const tact_body* b = &set->bodies[id];
        float4 rows[TACT_POSED_ROWS];
        tact_body_rows(&taken[i], b->shape, b->margin, rows);
        boxes[i] = tact_body_box(&set->tables, rows, &taken[i]);
    }
    const tact_result result = tact_volumes_move_aabbs(set->boxes, ids, boxes, count);
    for (size_t i = 0; i < count && result == TACT_OK; ++i) {
        tact_body* b = &set->bodies[ids ? ids[i] : i];
        b->pose = taken[i];
        tact_body_rows(&b->pose, b->shape, b->margin, &set->rows[TACT_POSED_ROWS * (ids ? (size_t)ids[i] : i)]);
    }
    return result;
}

tact_result tact_bodies_move(tact_bodies* set, const uint32_t* ids, const tact_pose* poses, size_t count)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_env* env = env_of(set);
    if (count == 0) return TACT_OK;
    if (!poses) return tact_null(env, "poses");
    if (count > TACT_MAX_VOLUMES) return tact_fail(env, TACT_ERROR_LIMIT, "%zu poses: at most 2^30", count);
    tact_guard_check(&set->guard);
    tact_pose* taken = tact_allocate(env, count, sizeof *taken);
    tact_aabb* boxes = tact_allocate(env, count, sizeof *boxes);
    tact_result result = TACT_ERROR_OUT_OF_MEMORY;
    if (taken && boxes) {
        tact_float_env float_env;
        tact_float_env_enter(&float_env);
        result = move(set, ids, poses, count, taken, boxes);
        tact_float_env_leave(&float_env);
    }
    tact_release(env, boxes);
    tact_release(env, taken);
    return result;
}

tact_result tact_bodies_make_tree(tact_bodies* set, int threads)
{
    const tact_volume_view* view = tact_volumes_view(set->boxes);
    const uint64_t version = view->version + 1;
    if (set->tree.version == version) return TACT_OK;
    const tact_result result =
        tact_body_tree_make(env_of(set), threads, view->boxes, tact_volumes_id_end(set->boxes), &set->tree);
    if (result == TACT_OK) set->tree.version = version;
    return result;
}

size_t tact_bodies_count(const tact_bodies* set)
{
    return set ? tact_volumes_count(set->boxes) : 0;
}

tact_result tact_bodies_get(const tact_bodies* set, uint32_t id, tact_body* body)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!body) return tact_null(env_of(set), "body");
    if (!tact_volumes_contains(set->boxes, id))
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "id %u is not in the set", id);
    *body = set->bodies[id];
    return TACT_OK;
}
