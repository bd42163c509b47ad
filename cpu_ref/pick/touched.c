// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pick/touched.h"

#include <string.h>

#include "base/parallel.h"

// Threads never allocate: the work is cut into lanes, each with a stack and a buffer of its own. A lane whose buffer is
// full, or that has worked for a while, stops where it is; when all have, what they found is put together and they go
// on. What is found does not depend on who found it when, since at last all is sorted.
enum {
    LANES = 64,
    BUFFER = 2048,       // findings of a lane
    STRIDE = 1 << 19,    // triangles and nodes between two stops
    PIECES = 8 * LANES,  // subtrees that few instances are cut into
    TASK_DEPTH = 20,     // and how far down at most
    INSTANCES_GRAIN = 1 << 10,
    TELL_GRAIN = 1 << 10,
    TELL_STEP = 1 << 18  // things told between two words of progress
};

// Of the whole call, when all is found and when all is sorted.
#define SEARCHED 0.6
#define SORTED 0.8

/// A part of an instance that is still to be looked at: a subtree, or, by brute force, all of it.
typedef struct task {
    uint32_t instance;
    uint32_t child, kind;  // as in a node
    bool whole;            // all of it is inside
} task;

typedef struct task_list {
    task* items;
    size_t count, capacity;
} task_list;

typedef struct entry {
    uint32_t node;  // and which of its children
    uint8_t child;
    bool whole;
    double nearness;
} entry;

typedef struct lane {
    size_t next, end;  // tasks
    bool inside;       // in the middle of one
    tact_touch_frame frame;
    const tact_trace_instance* instance;
    entry* stack;  // TACT_BVH8_STACK places
    int top;
    bool whole;             // all triangles of the leaf are inside
    size_t triangle, last;  // of the leaf's slots, or of the mesh's triangles, that come next
    tact_touch_best best;   // of the thing
    uint32_t best_primitive, best_object, best_instance;
    tact_touch_item* buffer;
    size_t found;
} lane;

typedef struct search {
    const tact_pick_touch_job* job;
    tact_touch_area area;
    task_list tasks;
    uint8_t* kept;  // instances that may be touched
    lane* lanes;
    entry* stacks;
    tact_touch_item* buffers;
    tact_touch_item* items;
    size_t item_count, item_capacity;
    uint32_t* order;  // of the items
    size_t told;      // of them
    const tact_pick_touch_teller* teller;
} search;

static const tact_trace_instance* instance_of(const search* s, uint32_t id)
{
    TACT_ASSERT(id < s->job->scene->by_id_count);
    return &s->job->scene->by_id[id];
}

static void emit(lane* l)
{
    if (!l->best.found) return;
    TACT_ASSERT(l->found < BUFFER && l->best.distance >= 0 && l->best.distance <= UINT32_MAX);
    tact_touch_item* item = &l->buffer[l->found++];
    item->object = l->best_object;
    item->instance = l->best_instance;
    item->primitive = l->best_primitive;
    item->distance = (uint32_t)l->best.distance;
    item->depth = l->best.depth;
    item->pixel = l->best.pixel;
    l->best.found = false;
}

/// Whether the next findings are of another thing than those so far.
static bool parts(const search* s, const lane* l, const tact_trace_instance* next)
{
    if (s->job->group == TACT_PICK_BY_OBJECT) return l->best_object != next->mesh;
    return s->job->group == TACT_PICK_BY_PRIMITIVE || l->best_instance != next->id;
}

/// The rank of one thing's triangles; of equal points, the smaller instance and primitive.
static bool ranks_before(const search* s, const tact_touch_best* a, uint32_t instance, uint32_t primitive,
                         const lane* l)
{
    const tact_touch_best* b = &l->best;
    const int order = tact_touch_compare(s->area.reversed, a, b);
    if (order != 0) return order < 0;
    return instance != l->best_instance ? instance < l->best_instance : primitive < l->best_primitive;
}

static void try_triangle(const search* s, lane* l, const float* a, const float* b, const float* c, uint32_t primitive)
{
    tact_touch_best here;
    if (!tact_touch_triangle(&s->area, &l->frame, a, b, c, l->whole, &here)) return;
    if (s->job->group == TACT_PICK_BY_PRIMITIVE) l->best.found = false;
    if (l->best.found && !ranks_before(s, &here, l->instance->id, primitive, l)) return;
    l->best = here;
    l->best_object = l->instance->mesh;
    l->best_instance = l->instance->id;
    l->best_primitive = primitive;
    if (s->job->group == TACT_PICK_BY_PRIMITIVE) emit(l);
}

/// Tries the triangles at hand; false when the lane has to stop.
static bool try_triangles(const search* s, lane* l, size_t* budget)
{
    const tact_trace_scene* scene = s->job->scene;
    for (; l->triangle < l->last; ++l->triangle) {
        if (l->found + 1 >= BUFFER || *budget == 0) return false;
        --*budget;
        if (s->job->brute) {
            const tact_trace_mesh* mesh = &scene->meshes[l->instance->mesh];
            const uint32_t* i = mesh->indices + 3 * l->triangle;
            TACT_ASSERT(l->triangle < mesh->triangle_count);
            const float* p = mesh->positions;
            try_triangle(s, l, p + 3 * (size_t)i[0], p + 3 * (size_t)i[1], p + 3 * (size_t)i[2], (uint32_t)l->triangle);
        } else {
            float a[3], b[3], c[3];
            const uint32_t primitive = tact_trace_slot(scene, (uint32_t)l->triangle, a, b, c);
            if (primitive != TACT_NONE) try_triangle(s, l, a, b, c, primitive);
        }
    }
    return true;
}

/// Findings that rank behind do not matter, unless each triangle is a thing.
static const tact_touch_best* limit(const search* s, const lane* l)
{
    return s->job->group == TACT_PICK_BY_PRIMITIVE ? NULL : &l->best;
}

static void enter_slots(lane* l, uint32_t first, uint32_t end, bool whole)
{
    l->whole = whole;
    l->triangle = first;
    l->last = end;
}

/// Looks at a node's children and puts aside those that count, the nearest last.
static void open_node(const search* s, lane* l, uint32_t at)
{
    TACT_ASSERT(at < s->job->scene->wide_count);
    const tact_bvh8_node* node = &s->job->scene->wide[at];
    const int first = l->top;
    for (int i = 0; i < TACT_BVH8_WIDTH; ++i) {
        if (tact_bvh8_kind(node, i) == 0) break;
        const tact_bvh_box box = tact_bvh8_child_box(node, i);
        const tact_touch_reach reach = tact_touch_box(&s->area, &l->frame, box.lower, box.upper, limit(s, l));
        if (reach.outside) continue;
        const entry e = {at, (uint8_t)i, reach.inside, reach.nearness};
        int place = l->top++;
        TACT_ASSERT(l->top <= TACT_BVH8_STACK);
        for (; place > first && l->stack[place - 1].nearness < e.nearness; --place)
            l->stack[place] = l->stack[place - 1];
        l->stack[place] = e;
    }
}

/// Goes into a subtree that is not outside.
static void enter_child(const search* s, lane* l, uint32_t child, uint32_t kind, bool whole)
{
    TACT_ASSERT(kind >= 1 && kind <= TACT_BVH8_INNER);
    if (kind != TACT_BVH8_INNER) {
        enter_slots(l, child, child + kind, whole);
    } else if (whole && !limit(s, l)) {
        // All of it counts, in any order.
        uint32_t first, end;
        tact_bvh8_range(s->job->scene->wide, child, &first, &end);
        enter_slots(l, first, end, true);
    } else {
        open_node(s, l, child);
    }
}

static void begin_task(const search* s, lane* l)
{
    TACT_ASSERT(l->next < l->end && !l->inside);
    const task* t = &s->tasks.items[l->next];
    const tact_trace_instance* instance = instance_of(s, t->instance);
    if (l->best.found && parts(s, l, instance)) emit(l);
    l->inside = true;
    l->instance = instance;
    l->top = 0;
    tact_touch_enter(&s->area, s->job->matrices[t->instance], &l->frame);
    if (s->job->brute) {
        l->whole = false;
        l->triangle = 0;
        l->last = s->job->scene->meshes[instance->mesh].triangle_count;
    } else {
        l->triangle = l->last = 0;
        enter_child(s, l, t->child, t->kind, t->whole);
    }
}

static void run_lane(const search* s, lane* l)
{
    size_t budget = STRIDE;
    for (;;) {
        if (l->inside && !try_triangles(s, l, &budget)) return;
        if (l->inside && l->top > 0) {
            const entry e = l->stack[--l->top];
            TACT_ASSERT(e.node < s->job->scene->wide_count && e.child < TACT_BVH8_WIDTH);
            if (budget > 0) --budget;
            const tact_bvh8_node* node = &s->job->scene->wide[e.node];
            // Something nearer may have been found since it was put aside.
            if (l->best.found && limit(s, l)) {
                const tact_bvh_box box = tact_bvh8_child_box(node, e.child);
                if (tact_touch_box(&s->area, &l->frame, box.lower, box.upper, &l->best).outside) continue;
            }
            enter_child(s, l, tact_bvh8_child(node, e.child), tact_bvh8_kind(node, e.child), e.whole);
            continue;
        }
        if (l->inside) ++l->next;
        l->inside = false;
        if (l->next == l->end) {
            emit(l);
            return;
        }
        if (l->found + 1 >= BUFFER || budget == 0) return;
        begin_task(s, l);
    }
}

static void run_lanes(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const search* s = user;
    for (size_t i = begin; i < end; ++i) {
        lane* l = &s->lanes[i];
        if (l->next < l->end) run_lane(s, l);
    }
}

static tact_result collect(tact_env* env, search* s)
{
    size_t needed = s->item_count;
    for (int i = 0; i < LANES; ++i)
        needed += s->lanes[i].found;
    void* items = s->items;
    if (!tact_reserve(env, &items, &s->item_capacity, s->item_count, needed, sizeof *s->items)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    s->items = items;
    for (int i = 0; i < LANES; ++i) {
        lane* l = &s->lanes[i];
        if (l->found) memcpy(s->items + s->item_count, l->buffer, l->found * sizeof *l->buffer);
        s->item_count += l->found;
        l->found = 0;
    }
    TACT_ASSERT(s->item_count == needed);
    return TACT_OK;
}

static void keep_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const search* s = user;
    const tact_trace_scene* scene = s->job->scene;
    for (size_t i = begin; i < end; ++i) {
        const tact_trace_instance* instance = &scene->by_id[i];
        TACT_ASSERT(instance->mesh == TACT_NONE || instance->mesh < scene->mesh_count);
        s->kept[i] = 0;
        if (instance->mesh == TACT_NONE || scene->meshes[instance->mesh].triangle_count == 0) continue;
        s->kept[i] = 1;
        if (s->job->brute) continue;
        tact_touch_frame frame;
        tact_touch_enter(&s->area, s->job->matrices[i], &frame);
        const tact_bvh8_node* root = &scene->wide[instance->wide_root];
        bool outside = true;
        for (int k = 0; k < TACT_BVH8_WIDTH && outside && tact_bvh8_kind(root, k) != 0; ++k) {
            const tact_bvh_box box = tact_bvh8_child_box(root, k);
            outside = tact_touch_box(&s->area, &frame, box.lower, box.upper, NULL).outside;
        }
        s->kept[i] = !outside;
    }
}

static tact_result add_task(tact_env* env, task_list* list, task t)
{
    void* items = list->items;
    if (!tact_reserve(env, &items, &list->capacity, list->count, list->count + 1, sizeof *list->items)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    list->items = items;
    list->items[list->count++] = t;
    return TACT_OK;
}

/// Adds the children of a task's node that are not outside.
static tact_result add_children(tact_env* env, const search* s, const task* t, task_list* list)
{
    TACT_ASSERT(t->kind == TACT_BVH8_INNER && t->child < s->job->scene->wide_count);
    const tact_bvh8_node* node = &s->job->scene->wide[t->child];
    tact_touch_frame frame;
    if (!t->whole) tact_touch_enter(&s->area, s->job->matrices[t->instance], &frame);
    for (int k = 0; k < TACT_BVH8_WIDTH && tact_bvh8_kind(node, k) != 0; ++k) {
        task part = {t->instance, tact_bvh8_child(node, k), tact_bvh8_kind(node, k), true};
        if (!t->whole) {
            const tact_bvh_box box = tact_bvh8_child_box(node, k);
            const tact_touch_reach reach = tact_touch_box(&s->area, &frame, box.lower, box.upper, NULL);
            if (reach.outside) continue;
            part.whole = reach.inside;
        }
        const tact_result added = add_task(env, list, part);
        if (added != TACT_OK) return added;
    }
    return TACT_OK;
}

/// Where each triangle counts, few instances are cut into subtrees, so that all threads have work. Where only the
/// nearest counts, one that knows how near that is has less to do than many that do not.
static tact_result split_tasks(tact_env* env, search* s)
{
    if (s->job->brute || s->job->group != TACT_PICK_BY_PRIMITIVE) return TACT_OK;
    task_list parts = {0};
    tact_result result = TACT_OK;
    bool going = true;
    for (int depth = 0; going && depth < TASK_DEPTH && s->tasks.count < PIECES && result == TACT_OK; ++depth) {
        parts.count = 0;
        going = false;
        for (size_t i = 0; i < s->tasks.count && result == TACT_OK; ++i) {
            const task* t = &s->tasks.items[i];
            const bool inner = t->kind == TACT_BVH8_INNER;
            result = inner ? add_children(env, s, t, &parts) : add_task(env, &parts, *t);
            going = going || inner;
        }
        if (result != TACT_OK) break;
        const task_list old = s->tasks;
        s->tasks = parts;
        parts = old;
    }
    tact_release(env, parts.items);
    return result;
}

static tact_result make_tasks(tact_env* env, search* s)
{
    const size_t count = s->job->scene->by_id_count;
    s->kept = tact_allocate(env, count, 1);
    if (!s->kept) return TACT_ERROR_OUT_OF_MEMORY;
    tact_parallel_for(s->job->threads, count, INSTANCES_GRAIN, keep_piece, s);
    for (size_t i = 0; i < count; ++i) {
        if (!s->kept[i]) continue;
        const task all = {(uint32_t)i, instance_of(s, (uint32_t)i)->wide_root, TACT_BVH8_INNER, false};
        const tact_result added = add_task(env, &s->tasks, all);
        if (added != TACT_OK) return added;
    }
    return split_tasks(env, s);
}

/// Tells how far the call has come.
static tact_result go_on(tact_env* env, const search* s, double done)
{
    if (!s->job->progress || s->job->progress(done, s->job->progress_user)) return TACT_OK;
    return tact_fail(env, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
}

static bool go_on_sorting(double fraction, void* user)
{
    const tact_pick_touch_job* job = user;
    return job->progress(SEARCHED + (SORTED - SEARCHED) * fraction, job->progress_user);
}

static tact_result run_tasks(tact_env* env, search* s)
{
    s->lanes = tact_allocate_zeroed(env, LANES, sizeof *s->lanes);
    s->buffers = tact_allocate(env, (size_t)LANES * BUFFER, sizeof *s->buffers);
    s->stacks = tact_allocate(env, (size_t)LANES * TACT_BVH8_STACK, sizeof *s->stacks);
    if (!s->lanes || !s->buffers || !s->stacks) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < LANES; ++i) {
        s->lanes[i].next = s->tasks.count / LANES * i + s->tasks.count % LANES * i / LANES;
        s->lanes[i].end = s->tasks.count / LANES * (i + 1) + s->tasks.count % LANES * (i + 1) / LANES;
        s->lanes[i].buffer = s->buffers + i * BUFFER;
        TACT_ASSERT(s->lanes[i].next <= s->lanes[i].end && s->lanes[i].end <= s->tasks.count);
        s->lanes[i].stack = s->stacks + i * TACT_BVH8_STACK;
    }
    for (;;) {
        tact_parallel_for(s->job->threads, LANES, 1, run_lanes, s);
        const tact_result collected = collect(env, s);
        if (collected != TACT_OK) return collected;
        size_t left = 0;
        for (int i = 0; i < LANES; ++i)
            left += s->lanes[i].end - s->lanes[i].next;
        const double done = s->tasks.count ? 1.0 - (double)left / (double)s->tasks.count : 1.0;
        const tact_result told = go_on(env, s, SEARCHED * done);
        if (told != TACT_OK || left == 0) return told;
    }
}

/// The corners of an item's triangle as the mesh has them.
static void corners_of(const search* s, const tact_touch_item* item, const float* corners[3])
{
    TACT_ASSERT(item->object < s->job->scene->mesh_count);
    const tact_trace_mesh* mesh = &s->job->scene->meshes[item->object];
    TACT_ASSERT(item->primitive < mesh->triangle_count);
    for (size_t k = 0; k < 3; ++k)
        corners[k] = mesh->positions + 3 * (size_t)mesh->indices[3 * (size_t)item->primitive + k];
}

static void set_position(const float m[12], const float* const corners[3], tact_pick_touch* touch)
{
    double p[3];
    for (int k = 0; k < 3; ++k) {
        const double a = (double)corners[0][k], b = (double)corners[1][k], c = (double)corners[2][k];
        p[k] = (a + touch->u * (b - a)) + touch->v * (c - a);
    }
    for (int k = 0; k < 3; ++k) {
        const float* row = m + 4 * k;
        touch->position[k] = (((double)row[0] * p[0] + (double)row[1] * p[1]) + (double)row[2] * p[2]) + (double)row[3];
    }
}

/// Finds the nearest point once more: a function of the triangle alone.
static void tell_piece(size_t begin, size_t end, int worker, void* user)
{
    (void)worker;
    const search* s = user;
    for (size_t i = s->told + begin; i < s->told + end; ++i) {
        const tact_touch_item* item = &s->items[s->order[i]];
        const float* m = s->job->matrices[item->instance];
        const float* corners[3];
        tact_touch_frame frame;
        tact_touch_best best;
        corners_of(s, item, corners);
        tact_touch_enter(&s->area, m, &frame);
        tact_touch_triangle(&s->area, &frame, corners[0], corners[1], corners[2], false, &best);
        TACT_ASSERT(best.found && best.pixel == item->pixel);
        tact_pick_found found = {.ids = {item->object, item->instance, item->primitive, TACT_PICK_NO_NORMAL},
                                 .surface.barycentric = TACT_PICK_NOTHING,
                                 .pixel = item->pixel};
        memcpy(&found.surface.depth, &item->depth, sizeof found.surface.depth);
        tact_pick_touch touch = {best.x, best.y, best.z, best.u, best.v, {0}};
        set_position(m, corners, &touch);
        s->teller->tell(i, &found, &touch, s->teller->user);
    }
}

static tact_result order_and_tell(tact_env* env, search* s)
{
    const tact_pick_touch_job* job = s->job;
    size_t count = s->item_count;
    tact_result result = tact_touch_order(env, job->threads, s->area.reversed, job->group, s->items, &count,
                                          job->progress ? go_on_sorting : NULL, (void*)job, &s->order);
    if (result != TACT_OK) return result;
    if (!s->teller->count(count, s->teller->user)) return TACT_ERROR_OUT_OF_MEMORY;
    while (s->told < count && result == TACT_OK) {
        const size_t step = count - s->told < TELL_STEP ? count - s->told : TELL_STEP;
        tact_parallel_for(job->threads, step, TELL_GRAIN, tell_piece, s);
        s->told += step;
        TACT_ASSERT(s->told <= count);
        result = go_on(env, s, SORTED + (1.0 - SORTED) * (double)s->told / (double)count);
    }
    return result;
}

tact_result tact_pick_touched_each(tact_env* env, const tact_pick_touch_job* job, const tact_pick_touch_teller* teller)
{
    search s = {.job = job, .teller = teller};
    bool empty = true;
    tact_result result = tact_touch_area_make(env, job->view, job->region, job->brute, &s.area, &empty);
    if (result == TACT_OK && !empty) {
        result = make_tasks(env, &s);
        if (result == TACT_OK) result = run_tasks(env, &s);
    }
    tact_release(env, s.tasks.items);
    tact_release(env, s.kept);
    tact_release(env, s.lanes);
    tact_release(env, s.stacks);
    tact_release(env, s.buffers);
    if (result == TACT_OK) result = order_and_tell(env, &s);
    tact_touch_area_free(env, &s.area);
    tact_release(env, s.order);
    tact_release(env, s.items);
    return result;
}

/// Lists on their way.
typedef struct lists {
    tact_env* env;
    tact_pick_list* list;
    tact_pick_touch** touches;
} lists;

static bool make_lists(size_t count, void* user)
{
    const lists* l = user;
    l->list->items = tact_allocate(l->env, count, sizeof *l->list->items);
    *l->touches = tact_allocate(l->env, count, sizeof **l->touches);
    if (!l->list->items || !*l->touches) return false;
    l->list->count = l->list->capacity = count;
    return true;
}

static void add_to_lists(size_t i, const tact_pick_found* found, const tact_pick_touch* touch, void* user)
{
    TACT_ASSERT(i < ((const lists*)user)->list->count);
    const lists* l = user;
    l->list->items[i] = *found;
    (*l->touches)[i] = *touch;
}

tact_result tact_pick_touched(tact_env* env, const tact_pick_touch_job* job, tact_pick_list* list,
                              tact_pick_touch** touches)
{
    lists l = {env, list, touches};
    const tact_pick_touch_teller teller = {make_lists, add_to_lists, &l};
    memset(list, 0, sizeof *list);
    *touches = NULL;
    const tact_result result = tact_pick_touched_each(env, job, &teller);
    if (result != TACT_OK) tact_pick_touched_free(env, list, touches);
    return result;
}

void tact_pick_touched_free(tact_env* env, tact_pick_list* list, tact_pick_touch** touches)
{
    tact_release(env, list->items);
    tact_release(env, *touches);
    memset(list, 0, sizeof *list);
    *touches = NULL;
}
