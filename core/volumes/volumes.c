// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "core/volumes/volumes.h"

#include <math.h>
#include <string.h>

#include "base/float_env.h"
#include "base/parallel.h"
#include "core/context/callers_array.h"

static tact_env* env_of(const tact_volumes* set)
{
    return &set->context->env;
}

tact_result tact_volumes_create(tact_context* context, const tact_volumes_desc* desc, tact_volumes** out)
{
    static const tact_volumes_desc defaults = {0};
    if (!desc) desc = &defaults;
    if (!tact_enter(context, "context")) return TACT_ERROR_INVALID_ARGUMENT;
    if (!out) return tact_null(&context->env, "set");
    *out = NULL;
    if ((unsigned)desc->kind > TACT_VOLUME_SPHERE) {
        return tact_fail(&context->env, TACT_ERROR_INVALID_ARGUMENT, "no kind of volume %d", (int)desc->kind);
    }
    if (desc->reserve > TACT_MAX_VOLUMES) {
        return tact_fail(&context->env, TACT_ERROR_LIMIT, "a set holds at most 2^30 volumes, not %zu", desc->reserve);
    }
    tact_volumes* set = tact_allocate_zeroed(&context->env, 1, sizeof *set);
    if (!set) return TACT_ERROR_OUT_OF_MEMORY;
    set->context = context;
    tact_guard_init(&set->guard);
    set->kind = desc->kind;
    ++context->objects;
    void *boxes = NULL, *spheres = NULL;
    bool ok = desc->reserve == 0 ||
              tact_reserve(&context->env, &boxes, &set->box_capacity, 0, desc->reserve, sizeof *set->boxes);
    set->boxes = boxes;
    if (ok && desc->reserve > 0 && desc->kind == TACT_VOLUME_SPHERE) {
        ok = tact_reserve(&context->env, &spheres, &set->sphere_capacity, 0, desc->reserve, sizeof *set->spheres);
        set->spheres = spheres;
    }
    if (!ok) {
        tact_volumes_destroy(set);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    *out = set;
    return TACT_OK;
}

void tact_volumes_destroy(tact_volumes* set)
{
    if (!set) return;
    tact_env* env = env_of(set);
    TACT_ASSERT(set->context->objects > 0);
    tact_residents_release(set->kept, TACT_MAX_DEVICES);
    tact_pairs_state_release(env, &set->state);
    tact_release(env, set->boxes);
    tact_release(env, set->spheres);
    tact_release(env, set->categories);
    tact_release(env, set->user_data);
    tact_release(env, set->used);
    tact_release(env, set->born);
    tact_release(env, set->pairs);
    tact_release(env, set->changes);
    tact_guard_destroy(&set->guard);
    --set->context->objects;
    tact_release(env, set);
}

bool tact_volumes_contains(const tact_volumes* set, uint32_t id)
{
    return set && id < set->id_end && (set->bound || (set->used[id / 64] >> (id % 64) & 1));
}

static uint64_t bit_of(uint32_t id)
{
    return (uint64_t)1 << (id % 64);
}

/// Room for ids below `end` in all arrays that there are.
static bool reserve(tact_volumes* set, size_t end)
{
    tact_env* env = env_of(set);
    const size_t have = set->id_end, words = (end + 63) / 64, used_words = (have + 63) / 64;
    void *boxes = set->boxes, *spheres = set->spheres, *categories = set->categories, *user = set->user_data;
    void *used = set->used, *born = set->born;
    bool ok = tact_reserve(env, &boxes, &set->box_capacity, have, end, sizeof *set->boxes);
    set->boxes = boxes;
    if (ok && set->kind == TACT_VOLUME_SPHERE) {
        ok = tact_reserve(env, &spheres, &set->sphere_capacity, have, end, sizeof *set->spheres);
        set->spheres = spheres;
    }
    if (ok && set->categories) {
        ok = tact_reserve(env, &categories, &set->categories_capacity, have, end, sizeof *set->categories);
        set->categories = categories;
    }
    if (ok && set->user_data) {
        ok = tact_reserve(env, &user, &set->user_capacity, have, end, sizeof *set->user_data);
        set->user_data = user;
    }
    if (ok && set->born) {
        ok = tact_reserve(env, &born, &set->born_capacity, have, end, sizeof *set->born);
        set->born = born;
    }
    if (ok) {
        ok = tact_reserve(env, &used, &set->used_capacity, used_words, words, sizeof *set->used);
        set->used = used;
    }
    if (ok && words > used_words) memset(set->used + used_words, 0, (words - used_words) * sizeof *set->used);
    TACT_ASSERT(!ok || set->box_capacity >= end);
    return ok;
}

/// Makes the array of categories, if it is not there, with what it stands for.
static bool make_categories(tact_volumes* set, size_t end)
{
    if (set->categories) return true;
    void* categories = NULL;
    if (!tact_reserve(env_of(set), &categories, &set->categories_capacity, 0, end, sizeof *set->categories))
        return false;
    set->categories = categories;
    for (size_t i = 0; i < set->id_end; ++i)
        set->categories[i] = TACT_CATEGORIES_ALL;
    return true;
}

static bool make_user_data(tact_volumes* set, size_t end)
{
    if (set->user_data) return true;
    void* user = NULL;
    if (!tact_reserve(env_of(set), &user, &set->user_capacity, 0, end, sizeof *set->user_data)) return false;
    set->user_data = user;
    for (size_t i = 0; i < set->id_end; ++i)
        set->user_data[i] = 0;
    return true;
}

/// The smallest id that is free; there is one.
static uint32_t take_id(tact_volumes* set)
{
    TACT_ASSERT(set->count < set->id_end);
    uint32_t word = set->free_from / 64;
    while (set->used[word] == UINT64_MAX)
        ++word;
    uint32_t id = 64 * word;
    while (set->used[word] >> (id % 64) & 1)
        ++id;
    TACT_ASSERT(id < set->id_end);
    set->free_from = id + 1;
    return id;
}

// Storing what comes in is a copy with a check: many volumes are shared among threads, up to this many.
enum { STORE_THREADS = 64, STORE_GRAIN = 1 << 14, ACROSS_LINES = 8 };

typedef struct store_loop {
    tact_volumes* set;
    const uint32_t* ids;  ///< NULL: from `first` on
    uint32_t first;
    const tact_aabb* boxes;  ///< one of the two is NULL
    const tact_sphere* spheres;
    bool fresh;                                  ///< the ids are new: there is nothing before
    int64_t live[STORE_THREADS * ACROSS_LINES];  ///< how many more take part, of each worker
} store_loop;

/// tact_aabb_pruning_box, but inline: a box as it is, or all NaN.
static inline bool store_box(tact_aabb* to, const tact_aabb* box)
{
    const bool some = box->lower.x <= box->upper.x && box->lower.y <= box->upper.y && box->lower.z <= box->upper.z;
    const tact_aabb nothing = {{NAN, NAN, NAN}, {NAN, NAN, NAN}};
    *to = some ? *box : nothing;
    return some;
}

static void store(size_t begin, size_t end, int worker, void* user)
{
    store_loop* l = user;
    tact_volumes* set = l->set;
    int64_t more = 0;
    for (size_t i = begin; i < end; ++i) {
        const uint32_t id = l->ids ? l->ids[i] : l->first + (uint32_t)i;
        TACT_ASSERT(id < set->box_capacity);
        tact_aabb* to = &set->boxes[id];
        if (!l->fresh) more -= tact_volume_is_live(to);
        if (l->spheres) {
            set->spheres[id] = l->spheres[i];
            *to = tact_sphere_pruning_box(l->spheres[i]);
            more += tact_volume_is_live(to);
        } else {
            more += store_box(to, &l->boxes[i]);
        }
    }
    l->live[worker * ACROSS_LINES] += more;
}

/// Adds what the workers counted.
static void settle(store_loop* l)
{
    int64_t live = l->set->view.live;
    for (int i = 0; i < STORE_THREADS; ++i)
        live += l->live[i * ACROSS_LINES];
    TACT_ASSERT(live >= 0 && live <= TACT_MAX_VOLUMES);
    l->set->view.live = (uint32_t)live;
}

/// Stores `count` volumes. One thread where there are ids: one may be there twice, and then the last counts.
static void store_all(store_loop* l, size_t count)
{
    TACT_ASSERT(!l->boxes != !l->spheres || count == 0);
    int threads = l->ids ? 1 : l->set->context->threads;
    if (threads > STORE_THREADS) threads = STORE_THREADS;
    tact_parallel_for(threads, count, STORE_GRAIN, store, l);
}

static tact_result check_writable(tact_volumes* set, tact_volume_kind kind, const void* volumes, size_t count)
{
    static const char* const names[] = {"AABBs", "spheres"};
    tact_env* env = env_of(set);
    if (set->kind != kind) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the set holds %s, not %s", names[set->kind], names[kind]);
    }
    if (set->bound) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "the set reads from a device array; write to that");
    }
    if (count > 0 && !volumes) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "%zu volumes, but the array is NULL", count);
    }
    return TACT_OK;
}

static bool same_categories(const tact_categories* categories, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (categories[i].category != 0xffffffffu || categories[i].mask != 0xffffffffu) return false;
    }
    return true;
}

/// What is to be added, one entry for each volume.
typedef struct addition {
    const tact_aabb* boxes;
    const tact_sphere* spheres;
    size_t count;
    const tact_categories* categories;
    const uint64_t* user_data;
    uint32_t* ids;
} addition;

static void describe(tact_volumes* set, uint32_t id, const addition* a, size_t i)
{
    TACT_ASSERT(set->used[id / 64] & bit_of(id));
    if (set->categories) set->categories[id] = a->categories ? a->categories[i] : TACT_CATEGORIES_ALL;
    if (set->user_data) set->user_data[id] = a->user_data ? a->user_data[i] : 0;
    if (set->born) set->born[id] = set->clock;
    if (a->ids) a->ids[i] = id;
}

/// The first of them get ids that were given back, ...
static void add_reused(tact_volumes* set, const addition* a, size_t count)
{
    store_loop l = {.set = set, .boxes = a->boxes, .spheres = a->spheres};
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = take_id(set);
        set->used[id / 64] |= bit_of(id);
        l.first = id - (uint32_t)i;  // so that entry i goes there, modulo 2^32
        store(i, i + 1, 0, &l);
        describe(set, id, a, i);
    }
    settle(&l);
}

/// ... and those from `from` on the next that never were given out.
static void add_fresh(tact_volumes* set, const addition* a, size_t from)
{
    TACT_ASSERT(from < a->count);
    const uint32_t first = set->id_end;
    const size_t count = a->count - from;
    store_loop l = {.set = set, .first = first, .fresh = true};
    l.boxes = a->boxes ? a->boxes + from : NULL;
    l.spheres = a->spheres ? a->spheres + from : NULL;
    store_all(&l, count);
    settle(&l);
    for (size_t i = 0; i < count; ++i)
        set->used[(first + i) / 64] |= bit_of(first + (uint32_t)i);
    if (set->categories || set->user_data || set->born || a->ids) {
        for (size_t i = 0; i < count; ++i)
            describe(set, first + (uint32_t)i, a, from + i);
    }
    set->id_end = first + (uint32_t)count;
    set->free_from = set->id_end;
}

static tact_result add(tact_volumes* set, const addition* a)
{
    if (a->count > TACT_MAX_VOLUMES - set->count) {
        return tact_fail(env_of(set), TACT_ERROR_LIMIT, "a set holds at most 2^30 volumes; this would make %llu",
                         (unsigned long long)set->count + a->count);
    }
    const size_t free_ids = set->id_end - set->count, reused = free_ids < a->count ? free_ids : a->count;
    const size_t end = set->id_end + (a->count - reused);
    const bool with_categories = set->categories || (a->categories && !same_categories(a->categories, a->count));
    if (!reserve(set, end) || (with_categories && !make_categories(set, end)) ||
        (a->user_data && !make_user_data(set, end))) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    ++set->clock;
    // The caller's rounding, or flushing of subnormal numbers, must not show.
    tact_float_env caller;
    tact_float_env_enter(&caller);
    add_reused(set, a, reused);
    if (reused < a->count) add_fresh(set, a, reused);
    tact_float_env_leave(&caller);
    set->count += (uint32_t)a->count;
    ++set->view.version;
    if (set->categories) ++set->view.categories_version;
    TACT_VALIDATE(tact_volumes_is_valid(set));
    return TACT_OK;
}

tact_result tact_volumes_add_aabbs(tact_volumes* set, const tact_aabb* boxes, size_t count,
                                   const tact_categories* categories, const uint64_t* user_data, uint32_t* ids)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&set->guard);
    const tact_result result = check_writable(set, TACT_VOLUME_AABB, boxes, count);
    const addition a = {boxes, NULL, count, categories, user_data, ids};
    return result == TACT_OK && count > 0 ? add(set, &a) : result;
}

tact_result tact_volumes_add_spheres(tact_volumes* set, const tact_sphere* spheres, size_t count,
                                     const tact_categories* categories, const uint64_t* user_data, uint32_t* ids)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&set->guard);
    const tact_result result = check_writable(set, TACT_VOLUME_SPHERE, spheres, count);
    const addition a = {NULL, spheres, count, categories, user_data, ids};
    return result == TACT_OK && count > 0 ? add(set, &a) : result;
}

/// Whether all ids are in the set; NULL stands for 0 to count - 1.
static tact_result check_ids(const tact_volumes* set, const uint32_t* ids, size_t count)
{
    // The common case at once: nothing was ever removed.
    if (!ids && count <= set->id_end && set->count == set->id_end) return TACT_OK;
    for (size_t i = 0; i < count; ++i) {
        const uint32_t id = ids ? ids[i] : (uint32_t)i;
        if (i < UINT32_MAX && tact_volumes_contains(set, id)) continue;
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "id %lu (number %zu of %zu) is not in the set",
                         (unsigned long)id, i, count);
    }
    return TACT_OK;
}

tact_result tact_volumes_remove(tact_volumes* set, const uint32_t* ids, size_t count)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&set->guard);
    if (count > 0 && !ids) return tact_null(&set->context->env, "ids");
    tact_env* env = env_of(set);
    tact_result result = check_writable(set, set->kind, ids, count);
    if (result == TACT_OK) result = check_ids(set, ids, count);
    if (result != TACT_OK || count == 0) return result;
    if (!set->born) {
        void* born = NULL;
        if (!tact_reserve(env, &born, &set->born_capacity, 0, set->id_end, sizeof *set->born)) {
            return TACT_ERROR_OUT_OF_MEMORY;
        }
        set->born = born;
        for (size_t i = 0; i < set->id_end; ++i)
            set->born[i] = set->cleared;
    }
    for (size_t i = 0; i < count; ++i) {
        uint64_t* word = &set->used[ids[i] / 64];
        if (*word & bit_of(ids[i])) {
            *word &= ~bit_of(ids[i]);
            continue;
        }
        const uint32_t twice = ids[i];
        while (i-- > 0)
            set->used[ids[i] / 64] |= bit_of(ids[i]);
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT, "id %lu is twice in the list", (unsigned long)twice);
    }
    const tact_aabb nothing = {{1, 1, 1}, {0, 0, 0}};
    const tact_sphere no_sphere = {{0, 0, 0}, -1};
    for (size_t i = 0; i < count; ++i) {
        set->view.live -= tact_volume_is_live(&set->boxes[ids[i]]);
        store_box(&set->boxes[ids[i]], &nothing);
        if (set->spheres) set->spheres[ids[i]] = no_sphere;
        if (ids[i] < set->free_from) set->free_from = ids[i];
    }
    set->count -= (uint32_t)count;
    TACT_VALIDATE(tact_volumes_is_valid(set));
    ++set->clock;
    ++set->view.version;
    return TACT_OK;
}

void tact_volumes_clear(tact_volumes* set)
{
    if (!set) return;
    tact_guard_check(&set->guard);
    set->id_end = set->count = set->free_from = 0;
    set->cleared = ++set->clock;  // every id is new from here on
    set->view.live = 0;
    ++set->view.version;
    ++set->view.categories_version;
    set->bound = false;
}

/// Lists what is about to be the set's next version. The list does not reach a version that changes too much, or for
/// which there is no memory.
static void list_changes(tact_volumes* set, const uint32_t* ids, size_t count)
{
    enum { PART = 16 };  // of the volumes that the list holds at most
    tact_volume_view* v = &set->view;
    if (!ids || count > set->count / PART) return;
    if (v->changes_until != v->version || v->change_count + count > set->count / PART) {
        v->changes_since = v->version;
        v->change_count = 0;
    }
    void* changes = set->changes;
    const bool room = tact_reserve(env_of(set), &changes, &set->change_capacity, v->change_count, set->count / PART,
                                   sizeof *set->changes);
    set->changes = changes;
    if (!room) return;
    for (size_t i = 0; i < count; ++i)
        set->changes[v->change_count++] = (tact_volume_change){v->version + 1, ids[i]};
    v->changes_until = v->version + 1;
}

static tact_result move(tact_volumes* set, const uint32_t* ids, const tact_aabb* boxes, const tact_sphere* spheres,
                        size_t count)
{
    const tact_result result = check_ids(set, ids, count);
    if (result != TACT_OK) return result;
    tact_float_env env;
    tact_float_env_enter(&env);
    store_loop l = {.set = set, .ids = ids, .boxes = boxes, .spheres = spheres};
    store_all(&l, count);
    settle(&l);
    tact_float_env_leave(&env);
    if (count == 0) return TACT_OK;
    list_changes(set, ids, count);
    ++set->view.version;
    return TACT_OK;
}

tact_result tact_volumes_move_aabbs(tact_volumes* set, const uint32_t* ids, const tact_aabb* boxes, size_t count)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&set->guard);
    const tact_result result = check_writable(set, TACT_VOLUME_AABB, boxes, count);
    return result == TACT_OK ? move(set, ids, boxes, NULL, count) : result;
}

tact_result tact_volumes_move_spheres(tact_volumes* set, const uint32_t* ids, const tact_sphere* spheres, size_t count)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&set->guard);
    const tact_result result = check_writable(set, TACT_VOLUME_SPHERE, spheres, count);
    return result == TACT_OK ? move(set, ids, NULL, spheres, count) : result;
}

tact_result tact_volumes_set_categories(tact_volumes* set, const uint32_t* ids, const tact_categories* categories,
                                        size_t count)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&set->guard);
    if (count > 0 && !categories) return tact_null(&set->context->env, "categories");
    const tact_result result = check_ids(set, ids, count);
    if (result != TACT_OK || count == 0) return result;
    if (!set->categories && same_categories(categories, count)) return TACT_OK;
    if (!make_categories(set, set->id_end)) return TACT_ERROR_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; ++i)
        set->categories[ids ? ids[i] : (uint32_t)i] = categories[i];
    ++set->view.categories_version;
    return TACT_OK;
}

/// What the calls on one id begin with.
static tact_result check_id(const tact_volumes* set, uint32_t id)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    if (tact_volumes_contains(set, id)) return TACT_OK;
    return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "id %lu is not in the set", (unsigned long)id);
}

tact_result tact_volumes_set_user_data(tact_volumes* set, uint32_t id, uint64_t user_data)
{
    const tact_result result = check_id(set, id);
    if (result == TACT_OK) tact_guard_check(&set->guard);
    if (result != TACT_OK || (!set->user_data && user_data == 0)) return result;
    if (!make_user_data(set, set->id_end)) return TACT_ERROR_OUT_OF_MEMORY;
    set->user_data[id] = user_data;
    return TACT_OK;
}

tact_result tact_volumes_get_user_data(const tact_volumes* set, uint32_t id, uint64_t* user_data)
{
    const tact_result result = check_id(set, id);
    if (result != TACT_OK || !user_data) return result != TACT_OK ? result : tact_null(env_of(set), "user_data");
    *user_data = set->user_data ? set->user_data[id] : 0;
    return TACT_OK;
}

size_t tact_volumes_count(const tact_volumes* set)
{
    return set ? set->count : 0;
}

size_t tact_volumes_id_end(const tact_volumes* set)
{
    return set ? set->id_end : 0;
}

tact_result tact_volumes_get_aabb(const tact_volumes* set, uint32_t id, tact_aabb* box)
{
    const tact_result result = check_id(set, id);
    if (result != TACT_OK || !box) return result != TACT_OK ? result : tact_null(env_of(set), "box");
    if (set->kind != TACT_VOLUME_AABB || set->bound) {
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "the set holds no AABBs of its own");
    }
    *box = set->boxes[id];
    return TACT_OK;
}

tact_result tact_volumes_get_sphere(const tact_volumes* set, uint32_t id, tact_sphere* sphere)
{
    const tact_result result = check_id(set, id);
    if (result != TACT_OK || !sphere) return result != TACT_OK ? result : tact_null(env_of(set), "sphere");
    if (set->kind != TACT_VOLUME_SPHERE || set->bound) {
        return tact_fail(env_of(set), TACT_ERROR_INVALID_ARGUMENT, "the set holds no spheres of its own");
    }
    *sphere = set->spheres[id];
    return TACT_OK;
}

uint64_t tact_volumes_born(const tact_volumes* set, uint32_t id)
{
    return set->born && id < set->id_end ? set->born[id] : set->cleared;
}

const tact_volume_view* tact_volumes_view(tact_volumes* set)
{
    TACT_ASSERT(set->view.live <= set->count || set->bound);
    set->view.boxes = set->boxes;
    set->view.spheres = set->spheres;
    set->view.categories = set->categories;
    set->view.count = set->id_end;
    set->view.changes = set->changes;
    return &set->view;
}

bool tact_volumes_reset_details(tact_volumes* set, size_t count)
{
    void *categories = set->categories, *user = set->user_data;
    bool ok = !categories ||
              tact_reserve(env_of(set), &categories, &set->categories_capacity, 0, count, sizeof *set->categories);
    set->categories = categories;
    if (ok && user) ok = tact_reserve(env_of(set), &user, &set->user_capacity, 0, count, sizeof *set->user_data);
    set->user_data = user;
    for (size_t i = 0; i < count && ok; ++i) {
        if (set->categories) set->categories[i] = TACT_CATEGORIES_ALL;
        if (set->user_data) set->user_data[i] = 0;
    }
    return ok;
}

tact_result tact_volumes_bind(tact_volumes* set, const tact_device_array* array, size_t count)
{
    if (!tact_enter(set ? set->context : NULL, "set")) return TACT_ERROR_INVALID_ARGUMENT;
    tact_guard_check(&set->guard);
    if (array) {
        if (count > TACT_MAX_VOLUMES) {
            return tact_fail(&set->context->env, TACT_ERROR_INVALID_ARGUMENT, "%zu volumes; at most 2^30", count);
        }
        const size_t size = set->kind == TACT_VOLUME_SPHERE ? sizeof(tact_sphere) : sizeof(tact_aabb);
        const tact_result result = tact_callers_array_check(set->context, array, (uint64_t)count * size);
        if (result != TACT_OK) return result;
    }
    tact_volumes_clear(set);
    if (!array) return TACT_OK;
    // Filters and user data of what the set held before.
    const bool made = tact_volumes_reset_details(set, count);
    if (!made) return TACT_ERROR_OUT_OF_MEMORY;
    set->bound = true;
    set->array = *array;
    set->id_end = set->count = (uint32_t)count;
    return TACT_OK;
}

tact_result tact_volumes_fetch(tact_volumes* set)
{
    if (!set->bound) return TACT_OK;
    tact_env* env = &set->context->env;
    const size_t n = set->count;
    void *boxes = set->boxes, *spheres = set->spheres;
    bool room = tact_reserve(env, &boxes, &set->box_capacity, 0, n, sizeof *set->boxes);
    set->boxes = boxes;
    if (room && set->kind == TACT_VOLUME_SPHERE) {
        room = tact_reserve(env, &spheres, &set->sphere_capacity, 0, n, sizeof *set->spheres);
        set->spheres = spheres;
    }
    if (!room) return TACT_ERROR_OUT_OF_MEMORY;
    if (n == 0) return TACT_OK;
    tact_result result = TACT_OK;
    if (set->kind == TACT_VOLUME_SPHERE) {
        result = tact_callers_array_read(set->context, &set->array, set->spheres, n * sizeof *set->spheres);
    } else {
        result = tact_callers_array_read(set->context, &set->array, set->boxes, n * sizeof *set->boxes);
    }
    if (result != TACT_OK) return result;
    uint32_t live = 0;
    for (size_t i = 0; i < n; ++i) {
        set->boxes[i] = set->kind == TACT_VOLUME_SPHERE ? tact_sphere_pruning_box(set->spheres[i])
                                                        : tact_aabb_pruning_box(set->boxes[i]);
        live += tact_volume_is_live(&set->boxes[i]) ? 1u : 0u;
    }
    TACT_ASSERT(live <= n && set->id_end == set->count);
    set->view.live = live;
    ++set->view.version;
    return TACT_OK;
}

#if defined(TACT_ASSERTS)

bool tact_volumes_is_valid(const tact_volumes* set)
{
    if (set->bound || set->id_end > TACT_VALIDATE_MOST) return true;
    uint32_t used = 0, live = 0;
    for (uint32_t id = 0; id < set->id_end; ++id) {
        const bool there = tact_volumes_contains(set, id);
        if (!there && (id < set->free_from || tact_volume_is_live(&set->boxes[id]))) return false;
        used += there;
        live += tact_volume_is_live(&set->boxes[id]);
    }
    for (uint32_t id = set->id_end; id % 64 != 0; ++id) {
        if (set->used[id / 64] & bit_of(id)) return false;
    }
    return used == set->count && live == set->view.live;
}

#endif
