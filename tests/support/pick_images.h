// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Random images of picks and masks, and the plainest reduction there is. Include after run.h.

#include "cpu_ref/pick/found.h"
#include "tests/support/random.h"

typedef struct pick_image {
    uint32_t width, height;
    tact_pick_ids* ids;
    tact_pick_surface* surfaces;
} pick_image;

typedef enum pick_pattern {
    PICK_ONE,      ///< one thing everywhere
    PICK_NOTHING,  ///< nothing
    PICK_EACH,     ///< another thing in each pixel
    PICK_CHECKS,   ///< two things
    PICK_ANY,      ///< any of some things, with holes
    PICK_RUNS,     ///< the same in rows of some pixels
    PICK_CLASH,    ///< ids that agree in all but some bits
    PICK_PATTERNS
} pick_pattern;

static inline uint32_t pick_image_number(pick_pattern pattern, test_random* r, uint32_t things, uint32_t i,
                                         uint32_t before)
{
    switch (pattern) {
        case PICK_EACH:
            return i;
        case PICK_CHECKS:
            return (i ^ i >> 3) & 1u;
        case PICK_RUNS:
            return test_random_below(r, 20) ? before : test_random_below(r, things);
        case PICK_ANY:
        case PICK_CLASH:
            return test_random_below(r, things);
        default:
            return 0;
    }
}

/// Depths are few, so that many are equal.
static inline pick_image pick_image_make(pick_pattern pattern, uint32_t width, uint32_t height, uint32_t things,
                                         uint64_t seed)
{
    test_random r = test_random_seeded(seed);
    const size_t count = (size_t)width * height;
    pick_image image = {width, height, malloc((count + 1) * sizeof *image.ids),
                        malloc((count + 1) * sizeof *image.surfaces)};
    uint32_t number = 0;
    for (size_t i = 0; i < count; ++i) {
        number = pick_image_number(pattern, &r, things, (uint32_t)i, number);
        const uint32_t more = test_random_below(&r, 3);
        const bool clash = pattern == PICK_CLASH;
        image.ids[i] = (tact_pick_ids){clash ? number << 24 : number / 3 - 1u, clash ? number >> 8 << 16 : number % 3,
                                       clash ? more << 30 : more, (uint32_t)test_random_bits(&r)};
        const bool hole = pattern == PICK_NOTHING || (pattern >= PICK_ANY && test_random_below(&r, 8) == 0);
        const float depth = (float)test_random_below(&r, 5) / 4.0f;
        image.surfaces[i].barycentric = (uint32_t)test_random_bits(&r);
        memcpy(&image.surfaces[i].depth, &depth, sizeof depth);
        // Not a number that a depth buffer holds, but bits all the same.
        if (clash && test_random_below(&r, 50) == 0) image.surfaces[i].depth = 0xfffffffeu;
        if (hole) image.surfaces[i].depth = TACT_PICK_NOTHING;
    }
    return image;
}

static inline void pick_image_free(pick_image* image)
{
    free(image->ids);
    free(image->surfaces);
}

static inline bool pick_mask_has(const tact_pick_mask* mask, uint32_t x, uint32_t y)
{
    return !mask->bits || (mask->bits[(size_t)y * mask->row_words + (x >> 5)] >> (x & 31u) & 1u) != 0;
}

/// A mask of this size with about `share` of its pixels, allocated by malloc; all of them with share 1.
static inline tact_pick_mask pick_mask_random(uint32_t width, uint32_t height, float share, bool point, uint64_t seed)
{
    test_random r = test_random_seeded(seed);
    tact_pick_mask mask = {.width = width, .height = height, .row_words = (width + 31) / 32, .point = point};
    if (point) {
        mask.point_x = (int32_t)test_random_below(&r, width + 40) - 20;
        mask.point_y = (int32_t)test_random_below(&r, height + 40) - 20;
    }
    if (share >= 1.0f) return mask;
    mask.bits = calloc((size_t)mask.row_words * height + 1, sizeof *mask.bits);
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
            if (test_random_unit(&r) < share) mask.bits[(size_t)y * mask.row_words + x / 32] |= 1u << x % 32;
        }
    }
    return mask;
}

// ---- The plainest reduction ----

/// A pixel with what it is compared by: first the things, or first the ranks.
typedef struct pick_plain {
    uint64_t rank[3];
    uint32_t ids[3];  ///< those that tell things apart; the others 0
    uint32_t pixel, layer;
    tact_pick_found found;
} pick_plain;

static inline int pick_plain_by_rank(const void* left, const void* right)
{
    const pick_plain *a = left, *b = right;
    for (int k = 0; k < 3; ++k)
        if (a->rank[k] != b->rank[k]) return a->rank[k] < b->rank[k] ? -1 : 1;
    if (a->found.ids.object != b->found.ids.object) return a->found.ids.object < b->found.ids.object ? -1 : 1;
    if (a->found.ids.instance != b->found.ids.instance) return a->found.ids.instance < b->found.ids.instance ? -1 : 1;
    if (a->found.ids.primitive != b->found.ids.primitive) {
        return a->found.ids.primitive < b->found.ids.primitive ? -1 : 1;
    }
    return 0;
}

static inline int pick_plain_by_thing(const void* left, const void* right)
{
    const pick_plain *a = left, *b = right;
    for (int k = 0; k < 3; ++k)
        if (a->ids[k] != b->ids[k]) return a->ids[k] < b->ids[k] ? -1 : 1;
    for (int k = 0; k < 3; ++k)
        if (a->rank[k] != b->rank[k]) return a->rank[k] < b->rank[k] ? -1 : 1;
    return a->layer < b->layer ? -1 : a->layer > b->layer;
}

static inline pick_plain pick_plain_of(const tact_pick_mask* mask, tact_pick_rule rule, const pick_image* image,
                                       bool up, uint32_t x, uint32_t y)
{
    const size_t at = (size_t)(up ? mask->height - 1 - y : y) * mask->width + x;
    const tact_pick_ids ids = image->ids[at];
    pick_plain p = {.pixel = y * mask->width + x, .ids = {ids.object, ids.instance, ids.primitive}};
    if (rule.group != TACT_PICK_BY_PRIMITIVE) p.ids[2] = 0;
    if (rule.group == TACT_PICK_BY_OBJECT) p.ids[1] = 0;
    const int64_t dx = (int64_t)x - mask->point_x, dy = (int64_t)y - mask->point_y;
    p.rank[0] = mask->point ? (uint64_t)(dx * dx + dy * dy) : 0;
    p.rank[1] = rule.reversed ? 0xffffffffu - image->surfaces[at].depth : image->surfaces[at].depth;
    p.rank[2] = p.pixel;
    p.found = (tact_pick_found){ids, image->surfaces[at], p.pixel, 1};
    return p;
}

/// Of `layers` images: what they hold in order, allocated by malloc. How many.
static inline size_t pick_plain_reduce(const tact_pick_mask* mask, tact_pick_rule rule, const pick_image* images,
                                       uint32_t layers, bool up, pick_plain** result)
{
    pick_plain* all = malloc(((size_t)mask->width * mask->height * layers + 1) * sizeof *all);
    size_t count = 0, kept = 0;
    for (uint32_t layer = 0; layer < layers; ++layer) {
        for (uint32_t y = 0; y < mask->height; ++y) {
            for (uint32_t x = 0; x < mask->width; ++x) {
                all[count] = pick_plain_of(mask, rule, &images[layer], up, x, y);
                all[count].layer = layer;
                if (pick_mask_has(mask, x, y) && all[count].found.surface.depth != TACT_PICK_NOTHING) ++count;
            }
        }
    }
    qsort(all, count, sizeof *all, pick_plain_by_thing);
    for (size_t i = 0; i < count; ++i) {
        if (kept && memcmp(all[kept - 1].ids, all[i].ids, sizeof all[i].ids) == 0) {
            ++all[kept - 1].found.pixels;
        } else {
            all[kept++] = all[i];
        }
    }
    qsort(all, kept, sizeof *all, pick_plain_by_rank);
    *result = all;
    return kept;
}
