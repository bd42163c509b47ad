// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/pick/found.h"

#include <string.h>

#include "cpu_ref/blocks.h"
#include "cpu_ref/pick/code.h"

// ---- Ranks and keys ----

/// The lesser is the nearer.
typedef struct rank {
    uint32_t distance, depth, pixel;
} rank;

static rank rank_of(const tact_pick_mask* mask, const tact_pick_rule* rule, uint32_t depth, uint32_t pixel)
{
    TACT_ASSERT(mask->width > 0 && pixel / mask->width < mask->height);
    rank r = {0, rule->reversed ? ~depth : depth, pixel};
    if (mask->point) {
        const int64_t dx = (int64_t)(pixel % mask->width) - mask->point_x;
        const int64_t dy = (int64_t)(pixel / mask->width) - mask->point_y;
        // At most 2 * 1024^2.
        r.distance = (uint32_t)(dx * dx + dy * dy);
    }
    return r;
}

static bool is_nearer(rank a, rank b)
{
    if (a.distance != b.distance) return a.distance < b.distance;
    if (a.depth != b.depth) return a.depth < b.depth;
    return a.pixel < b.pixel;
}

static bool is_same(tact_pick_group group, const tact_pick_ids* a, const tact_pick_ids* b)
{
    if (a->object != b->object) return false;
    if (group != TACT_PICK_BY_OBJECT && a->instance != b->instance) return false;
    return group != TACT_PICK_BY_PRIMITIVE || a->primitive == b->primitive;
}

static uint32_t hash_of(tact_pick_group group, const tact_pick_ids* ids, uint32_t salt)
{
    uint32_t h = (ids->object ^ salt) * 0x9e3779b1u;
    h ^= h >> 15;
    if (group != TACT_PICK_BY_OBJECT) h = (h ^ ids->instance) * 0x85ebca6bu;
    h ^= h >> 13;
    if (group == TACT_PICK_BY_PRIMITIVE) h = (h ^ ids->primitive) * 0xc2b2ae35u;
    return h ^ h >> 16;
}

// ---- A table of a list's items ----

/// Open addressing; a slot holds an item's number + 1. At most half of the slots are taken. Whoever makes ids that
/// belong at one place makes the table take another salt.
typedef struct table {
    uint32_t* slots;
    size_t size;  ///< a power of two
    uint32_t salt;
} table;

enum {
    PROBES_MAX = 1000,  // a table half full has runs of a hundred or two
    SALTS_MAX = 8       // then as it comes
};

/// The slot of the item with these ids, or the empty one where it belongs; NULL after too many others.
static uint32_t* table_find(const table* t, const tact_pick_list* list, tact_pick_group group, const tact_pick_ids* ids,
                            size_t probes)
{
    TACT_ASSERT(t->size >= 1 && (t->size & (t->size - 1)) == 0);
    size_t at = hash_of(group, ids, t->salt) & (t->size - 1);
    while (t->slots[at] && !is_same(group, ids, &list->items[t->slots[at] - 1].ids)) {
        if (probes-- == 0) return NULL;
        at = (at + 1) & (t->size - 1);
    }
    return &t->slots[at];
}

/// Enters all items into an empty table, unless too many meet.
static bool table_fill(table* t, const tact_pick_list* list, tact_pick_group group, size_t probes)
{
    TACT_ASSERT(list->count <= t->size / 2);
    for (size_t i = 0; i < list->count; ++i) {
        uint32_t* const slot = table_find(t, list, group, &list->items[i].ids, probes);
        if (!slot) return false;
        *slot = (uint32_t)i + 1;
    }
    return true;
}

/// Anew, with another salt than it had.
static tact_result table_make(tact_env* env, const tact_pick_list* list, tact_pick_group group, size_t size, table* t)
{
    uint32_t* const slots = tact_allocate(env, size, sizeof *slots);
    if (!slots) return TACT_ERROR_OUT_OF_MEMORY;
    tact_release(env, t->slots);
    *t = (table){slots, size, t->salt};
    for (int salts = 0;; ++salts) {
        memset(slots, 0, size * sizeof *slots);
        t->salt = t->salt * 0x2c1b3c6du + 0x297a2d39u;
        if (table_fill(t, list, group, salts < SALTS_MAX ? PROBES_MAX : size)) return TACT_OK;
    }
}

/// As table_find, with room for one more item. NULL: out of memory.
static uint32_t* table_hold(tact_env* env, const tact_pick_list* list, tact_pick_group group, table* t,
                            const tact_pick_ids* ids)
{
    if (!t->slots || list->count >= t->size / 2) {
        size_t size = 64;
        while (size / 4 <= list->count)
            size *= 2;
        if (table_make(env, list, group, size, t) != TACT_OK) return NULL;
    }
    for (int salts = 0; salts < SALTS_MAX; ++salts) {
        uint32_t* const slot = table_find(t, list, group, ids, PROBES_MAX);
        TACT_ASSERT(!slot || *slot <= list->count);
        if (slot) return slot;
        if (table_make(env, list, group, t->size, t) != TACT_OK) return NULL;
    }
    return table_find(t, list, group, ids, t->size);
}

/// Items, and layers where there are such.
static bool list_hold(tact_env* env, tact_pick_list* list, size_t count)
{
    void* items = list->items;
    size_t capacity = list->capacity;
    if (!tact_reserve(env, &items, &capacity, list->count, count, sizeof *list->items)) return false;
    list->items = items;
    TACT_ASSERT(capacity >= count);
    if (list->layers && capacity > list->capacity) {
        uint32_t* const layers = tact_allocate(env, capacity, sizeof *layers);
        if (!layers) return false;  // Items have more room than the list knows of.
        memcpy(layers, list->layers, list->count * sizeof *layers);
        tact_release(env, list->layers);
        list->layers = layers;
    }
    list->capacity = capacity;
    return true;
}

// ---- The order ----

static uint32_t layer_of(const tact_pick_list* list, size_t i)
{
    return list->layers ? list->layers[i] : 0;
}

static bool comes_before(const tact_pick_mask* mask, const tact_pick_rule* rule, const tact_pick_found* a,
                         const tact_pick_found* b)
{
    const rank ra = rank_of(mask, rule, a->surface.depth, a->pixel),
               rb = rank_of(mask, rule, b->surface.depth, b->pixel);
    if (is_nearer(ra, rb) || is_nearer(rb, ra)) return is_nearer(ra, rb);
    if (a->ids.object != b->ids.object) return a->ids.object < b->ids.object;
    if (a->ids.instance != b->ids.instance) return a->ids.instance < b->ids.instance;
    return a->ids.primitive < b->ids.primitive;
}

static bool is_sorted(const tact_pick_mask* mask, const tact_pick_rule* rule, const tact_pick_list* list)
{
    for (size_t i = 1; i < list->count; ++i)
        if (comes_before(mask, rule, &list->items[i], &list->items[i - 1])) return false;
    return true;
}

/// The items' numbers by rank. `keys`: two words each.
static tact_result order_by_rank(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                 const tact_pick_list* list, uint32_t* keys, uint32_t* order)
{
    TACT_ASSERT(list->count <= UINT32_MAX);
    for (size_t i = 0; i < list->count; ++i) {
        const rank r = rank_of(mask, rule, list->items[i].surface.depth, list->items[i].pixel);
        keys[2 * i] = r.pixel;
        keys[2 * i + 1] = r.depth;
    }
    const tact_sort_cpu_job by_depth = {keys, keys, NULL, order, list->count, 2, 64};
    const tact_result result = tact_sort_cpu(env, 1, &by_depth);
    if (result != TACT_OK || !mask->point) return result;
    for (size_t i = 0; i < list->count; ++i) {
        const tact_pick_found* f = &list->items[order[i]];
        keys[i] = rank_of(mask, rule, f->surface.depth, f->pixel).distance;
    }
    // Stable, so that what is equally far stays in the order of depth.
    const tact_sort_cpu_job by_distance = {keys, keys, order, order, list->count, 1, 32};
    return tact_sort_cpu(env, 1, &by_distance);
}

/// What is to be put in order.
typedef struct run {
    const tact_pick_mask* mask;
    const tact_pick_rule* rule;
    const tact_pick_list* list;
    uint32_t* order;
} run;

static bool run_before(const run* r, uint32_t a, uint32_t b)
{
    return comes_before(r->mask, r->rule, &r->list->items[a], &r->list->items[b]);
}

/// Lets the number at `root` of a heap of `count` sink to its place.
static void run_sink(const run* r, size_t root, size_t count)
{
    TACT_ASSERT(root < count);
    const uint32_t moved = r->order[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && run_before(r, r->order[child], r->order[child + 1])) ++child;
        if (!run_before(r, moved, r->order[child])) break;
        r->order[root] = r->order[child];
        root = child;
    }
    r->order[root] = moved;
}

/// By a heap: no order that they come in is slow.
static void run_order(const run* r, size_t count)
{
    for (size_t i = count / 2; i-- > 0;)
        run_sink(r, i, count);
    for (size_t i = count; i-- > 1;) {
        const uint32_t last = r->order[0];
        r->order[0] = r->order[i];
        r->order[i] = last;
        run_sink(r, 0, i);
    }
}

/// Surfaces of one pixel at one depth, of several layers, are put in the order of their ids.
static void order_by_ids(const tact_pick_mask* mask, const tact_pick_rule* rule, const tact_pick_list* list,
                         uint32_t* order)
{
    for (size_t begin = 0, end = 0; begin < list->count; begin = end) {
        const tact_pick_found* first = &list->items[order[begin]];
        for (end = begin + 1; end < list->count; ++end) {
            const tact_pick_found* f = &list->items[order[end]];
            if (f->pixel != first->pixel || f->surface.depth != first->surface.depth) break;
        }
        const run same = {mask, rule, list, order + begin};
        if (end - begin > 1) run_order(&same, end - begin);
    }
}

static tact_result rearrange(tact_env* env, tact_pick_list* list, const uint32_t* order)
{
    tact_pick_found* const items = tact_allocate(env, list->count, sizeof *items);
    uint32_t* const layers = list->layers ? tact_allocate(env, list->count, sizeof *layers) : NULL;
    if (!items || (list->layers && !layers)) {
        tact_release(env, items);
        tact_release(env, layers);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    for (size_t i = 0; i < list->count; ++i) {
        items[i] = list->items[order[i]];
        TACT_ASSERT(order[i] < list->count);
        if (layers) layers[i] = list->layers[order[i]];
    }
    tact_release(env, list->items);
    tact_release(env, list->layers);
    list->items = items;
    list->layers = layers;
    list->capacity = list->count;
    return TACT_OK;
}

tact_result tact_pick_list_sort(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                tact_pick_list* list)
{
    if (is_sorted(mask, rule, list)) return TACT_OK;
    uint32_t* const keys = tact_allocate(env, list->count, 2 * sizeof *keys);
    uint32_t* const order = tact_allocate(env, list->count, sizeof *order);
    tact_result result = keys && order ? order_by_rank(env, mask, rule, list, keys, order) : TACT_ERROR_OUT_OF_MEMORY;
    if (result == TACT_OK) {
        order_by_ids(mask, rule, list, order);
        result = rearrange(env, list, order);
        TACT_VALIDATE(result != TACT_OK || is_sorted(mask, rule, list));
    }
    tact_release(env, keys);
    tact_release(env, order);
    return result;
}

void tact_pick_list_free(tact_env* env, tact_pick_list* list)
{
    tact_release(env, list->items);
    tact_release(env, list->layers);
    *list = (tact_pick_list){0};
}

// ---- One image ----

/// An image on its way to a list.
typedef struct reduction {
    tact_env* env;
    const tact_pick_mask* mask;
    const tact_pick_rule* rule;
    tact_pick_list* list;
    table found;
    size_t last;  ///< the item of the pixel before: neighbours often show the same
} reduction;

static tact_result add_pixel(reduction* r, const tact_pick_ids* ids, const tact_pick_surface* surface, uint32_t pixel)
{
    const tact_pick_group group = r->rule->group;
    tact_pick_list* list = r->list;
    if (!list->count || !is_same(group, ids, &list->items[r->last].ids)) {
        uint32_t* const slot = table_hold(r->env, list, group, &r->found, ids);
        if (!slot) return TACT_ERROR_OUT_OF_MEMORY;
        if (!*slot) {
            if (!list_hold(r->env, list, list->count + 1)) return TACT_ERROR_OUT_OF_MEMORY;
            list->items[list->count++] = (tact_pick_found){*ids, *surface, pixel, 0};
            *slot = (uint32_t)list->count;
        }
        r->last = *slot - 1;
    }
    tact_pick_found* f = &list->items[r->last];
    TACT_ASSERT(r->last < list->count && is_same(group, ids, &f->ids));
    ++f->pixels;
    if (is_nearer(rank_of(r->mask, r->rule, surface->depth, pixel),
                  rank_of(r->mask, r->rule, f->surface.depth, f->pixel))) {
        f->ids = *ids;
        f->surface = *surface;
        f->pixel = pixel;
    }
    return TACT_OK;
}

/// A piece: the rows [first, end) of the mask.
static tact_result add_rows(reduction* r, uint32_t first, uint32_t end, bool up, const tact_pick_ids* ids,
                            const tact_pick_surface* surfaces)
{
    TACT_ASSERT(first <= end && end <= r->mask->height);
    const tact_pick_mask* mask = r->mask;
    tact_result result = TACT_OK;
    for (uint32_t y = first; y < end && result == TACT_OK; ++y) {
        const uint32_t* bits = mask->bits ? mask->bits + (size_t)y * mask->row_words : NULL;
        const size_t row = (size_t)(up ? end - 1 - y : y - first) * mask->width;
        for (uint32_t x = 0; x < mask->width && result == TACT_OK; ++x) {
            if (bits && !(bits[x >> 5] >> (x & 31u) & 1u)) continue;
            if (surfaces[row + x].depth == TACT_PICK_NOTHING) continue;
            result = add_pixel(r, &ids[row + x], &surfaces[row + x], y * mask->width + x);
        }
    }
    return result;
}

tact_result tact_pick_reduce_pieces(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                    tact_pick_fetch_fn* fetch, void* user, uint32_t rows, bool up, tact_pick_list* list)
{
    *list = (tact_pick_list){0};
    if ((uint64_t)mask->width * mask->height >= UINT32_MAX) {
        return tact_fail(env, TACT_ERROR_LIMIT, "%u x %u pixels; their numbers have 32 bits", mask->width,
                         mask->height);
    }
    reduction r = {.env = env, .mask = mask, .rule = rule, .list = list};
    tact_result result = TACT_OK;
    const uint32_t height = mask->width ? mask->height : 0;
    for (uint32_t first = 0, count = 0; first < height && result == TACT_OK; first += count) {
        count = height - first < rows ? height - first : rows;
        TACT_ASSERT(count >= 1);
        const tact_pick_ids* ids = NULL;
        const tact_pick_surface* surfaces = NULL;
        result = fetch(up ? height - first - count : first, count, &ids, &surfaces, user);
        TACT_ASSERT(result != TACT_OK || (ids && surfaces));
        if (result == TACT_OK) result = add_rows(&r, first, first + count, up, ids, surfaces);
    }
    tact_release(env, r.found.slots);
    if (result == TACT_OK) result = tact_pick_list_sort(env, mask, rule, list);
    if (result != TACT_OK) tact_pick_list_free(env, list);
    return result;
}

/// An image that is there.
typedef struct whole_image {
    const tact_pick_ids* ids;
    const tact_pick_surface* surfaces;
} whole_image;

static tact_result fetch_all(uint32_t first, uint32_t count, const tact_pick_ids** ids,
                             const tact_pick_surface** surfaces, void* user)
{
    const whole_image* image = user;
    (void)first;
    (void)count;
    *ids = image->ids;
    *surfaces = image->surfaces;
    return TACT_OK;
}

tact_result tact_pick_reduce(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                             const tact_pick_ids* ids, const tact_pick_surface* surfaces, bool up, tact_pick_list* list)
{
    whole_image image = {ids, surfaces};
    return tact_pick_reduce_pieces(env, mask, rule, fetch_all, &image, mask->height, up, list);
}

// ---- Layers ----

static tact_result layers_hold(tact_env* env, tact_pick_list* list, uint32_t layer)
{
    if (list->layers || !layer) return TACT_OK;
    list->layers = tact_allocate_zeroed(env, list->capacity, sizeof *list->layers);
    return list->layers ? TACT_OK : TACT_ERROR_OUT_OF_MEMORY;
}

/// An item behind those that are there.
static tact_result add_item(reduction* r, const tact_pick_found* item, uint32_t layer)
{
    tact_pick_list* list = r->list;
    uint32_t* const slot = table_hold(r->env, list, r->rule->group, &r->found, &item->ids);
    if (!slot) return TACT_ERROR_OUT_OF_MEMORY;
    if (!*slot) {
        if (!list_hold(r->env, list, list->count + 1)) return TACT_ERROR_OUT_OF_MEMORY;
        list->items[list->count] = *item;
        if (list->layers) list->layers[list->count] = layer;
        *slot = (uint32_t)++list->count;
        return TACT_OK;
    }
    tact_pick_found* f = &list->items[*slot - 1];
    TACT_ASSERT(item->pixels >= 1 && f->pixels >= 1);
    if (item->pixels > UINT32_MAX - f->pixels) {
        return tact_fail(r->env, TACT_ERROR_LIMIT, "2^32 surfaces or more of object %u are under the region",
                         item->ids.object);
    }
    const uint32_t pixels = f->pixels + item->pixels;
    const rank behind = rank_of(r->mask, r->rule, item->surface.depth, item->pixel);
    if (is_nearer(behind, rank_of(r->mask, r->rule, f->surface.depth, f->pixel))) {
        *f = *item;
        if (list->layers) list->layers[*slot - 1] = layer;
    }
    f->pixels = pixels;
    return TACT_OK;
}

tact_result tact_pick_list_merge(tact_env* env, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                 tact_pick_list* list, const tact_pick_list* behind, uint32_t layer)
{
    TACT_ASSERT(list != behind && (!behind->count || behind->items));
    reduction r = {.env = env, .mask = mask, .rule = rule, .list = list};
    tact_result result = behind->count ? layers_hold(env, list, layer) : TACT_OK;
    for (size_t i = 0; i < behind->count && result == TACT_OK; ++i)
        result = add_item(&r, &behind->items[i], layer + layer_of(behind, i));
    tact_release(env, r.found.slots);
    return result == TACT_OK ? tact_pick_list_sort(env, mask, rule, list) : result;
}

void tact_pick_list_move(tact_pick_list* list, uint32_t pixels)
{
    for (size_t i = 0; i < list->count; ++i)
        list->items[i].pixel += pixels;
}

// ---- Telling ----

void tact_pick_tell(const tact_pick_view* view, const tact_pick_mask* mask, const tact_pick_found* found,
                    uint32_t layer, tact_pick* pick)
{
    TACT_ASSERT(mask->width > 0 && found->pixel / mask->width < mask->height);
    memset(pick, 0, sizeof *pick);
    pick->object = found->ids.object;
    pick->instance = found->ids.instance;
    pick->primitive = found->ids.primitive;
    pick->pixels = found->pixels;
    pick->layer = layer;
    const int64_t x = (int64_t)view->left + mask->x + found->pixel % mask->width;
    const int64_t y = (int64_t)view->top + mask->y + found->pixel / mask->width;
    pick->x = (int32_t)x;
    pick->y = (int32_t)y;
    memcpy(&pick->depth, &found->surface.depth, sizeof pick->depth);
    if (!tact_pick_unproject(view, (double)x + 0.5, (double)y + 0.5, pick->depth, pick->position)) {
        memset(pick->position, 0, sizeof pick->position);
    }
    tact_pick_decode_normal(found->ids.normal, pick->normal);
    tact_pick_decode_barycentric(found->surface.barycentric, pick->barycentric);
}
