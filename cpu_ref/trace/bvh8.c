// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/bvh8.h"

#include <math.h>
#include <string.h>

static float scale_of(int exponent)
{
    const uint32_t bits = (uint32_t)exponent << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

enum { WIDTH = TACT_BVH8_WIDTH };

/// The bytes of one axis at this exponent; false when they do not reach far enough. Rows of eight throughout, so that
/// the compiler does them side by side.
static bool set_axis(tact_bvh8_node* node, int axis, int exponent, const float lower[WIDTH], const float upper[WIDTH])
{
    TACT_ASSERT(exponent >= 1 && exponent <= 253);
    // Both are powers of two, so that products are exact.
    const float origin = node->origin[axis], scale = scale_of(exponent), inverse = scale_of(254 - exponent);
    // An absent child's lower side must lie above its upper one.
    if (!(origin + 255.0f * scale > origin)) return false;
    int32_t low[WIDTH], high[WIDTH];
    int32_t most = 0;
    for (int i = 0; i < WIDTH; ++i) {
        TACT_ASSERT(lower[i] >= origin && lower[i] <= upper[i]);
        // The differences round, so the numbers may be off by one, and so may the sides, which are what counts.
        const float below = (lower[i] - origin) * inverse, above = (upper[i] - origin) * inverse;
        const int32_t l = (int32_t)(below < 256.0f ? below : 256.0f), h = (int32_t)(above < 256.0f ? above : 256.0f);
        low[i] = l - (origin + (float)l * scale > lower[i]);
        high[i] = h + (origin + (float)h * scale < upper[i]);
    }
    for (int i = 0; i < WIDTH; ++i)
        most = high[i] > most ? high[i] : most;
    if (most > 255) return false;
    for (int i = 0; i < WIDTH; ++i) {
        node->box[axis][0][i] = (uint8_t)low[i];
        node->box[axis][1][i] = (uint8_t)high[i];
    }
    return true;
}

/// The first, or last, child that is a node, or that is a leaf; -1: there is none.
static int find_child(const tact_bvh8_node* n, bool inner, bool last)
{
    int found = -1;
    for (int i = 0; i < TACT_BVH8_WIDTH && (found < 0 || last); ++i) {
        const uint32_t kind = tact_bvh8_kind(n, i);
        if (kind != 0 && (kind == TACT_BVH8_INNER) == inner) found = i;
    }
    return found;
}

void tact_bvh8_range(const tact_bvh8_node* nodes, uint32_t node, uint32_t* first, uint32_t* end)
{
    // A node's own leaves come first, then what is under its nodes.
    const tact_bvh8_node* n = &nodes[node];
    int leaf = find_child(n, false, false), inner = find_child(n, true, false);
    while (leaf < 0 && inner >= 0) {
        n = &nodes[tact_bvh8_child(n, inner)];
        leaf = find_child(n, false, false);
        inner = find_child(n, true, false);
    }
    *first = *end = 0;
    if (leaf < 0) return;
    *first = tact_bvh8_child(n, leaf);
    n = &nodes[node];
    while ((inner = find_child(n, true, true)) >= 0)
        n = &nodes[tact_bvh8_child(n, inner)];
    leaf = find_child(n, false, true);
    *end = tact_bvh8_child(n, leaf) + tact_bvh8_kind(n, leaf);
    TACT_ASSERT(*first < *end);
}

tact_bvh_box tact_bvh8_bounds(const tact_bvh8_node* node)
{
    tact_bvh_box all = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < TACT_BVH8_WIDTH && tact_bvh8_kind(node, i) != 0; ++i) {
        const tact_bvh_box box = tact_bvh8_child_box(node, i);
        for (int k = 0; k < 3; ++k) {
            all.lower[k] = box.lower[k] < all.lower[k] ? box.lower[k] : all.lower[k];
            all.upper[k] = box.upper[k] > all.upper[k] ? box.upper[k] : all.upper[k];
        }
    }
    return all;
}

/// The exponent to begin with: half as much would not do, but for a rounding.
static int first_exponent(float origin, float width)
{
    TACT_ASSERT(width >= 0.0f);
    uint32_t bits, size;
    memcpy(&bits, &width, sizeof bits);
    memcpy(&size, &origin, sizeof size);
    const int by_width = (int)(bits >> 23) - 7, by_origin = (int)(size >> 23 & 255u) - 31;
    const int exponent = by_width > by_origin ? by_width : by_origin;
    return exponent > 1 ? exponent : 1;
}

void tact_bvh8_set_boxes(tact_bvh8_node* node, const tact_bvh_box* boxes, int count)
{
    TACT_ASSERT(count >= 0 && count <= WIDTH);
    for (int axis = 0; axis < 3; ++axis) {
        float lower[WIDTH], upper[WIDTH];
        float low = count ? boxes[0].lower[axis] : 0.0f, high = count ? boxes[0].upper[axis] : 0.0f;
        for (int i = 0; i < WIDTH; ++i) {
            const int of = i < count ? i : 0;
            lower[i] = count ? boxes[of].lower[axis] : 0.0f;
            upper[i] = count ? boxes[of].upper[axis] : 0.0f;
            low = lower[i] < low ? lower[i] : low;
            high = upper[i] > high ? upper[i] : high;
        }
        node->origin[axis] = low;
        int exponent = first_exponent(low, high - low);
        while (!set_axis(node, axis, exponent, lower, upper))
            ++exponent;
        TACT_ASSERT(exponent < 254);
        node->exponent[axis] = (uint8_t)exponent;
        for (int i = count; i < WIDTH; ++i) {
            node->box[axis][0][i] = 255;
            node->box[axis][1][i] = 0;
        }
    }
}

enum { PACKED = TACT_BVH8_WIDTH * TACT_BVH8_MAX_LEAF };

size_t tact_bvh8_packed_nodes(size_t count)
{
    size_t level = (count + PACKED - 1) / PACKED, nodes = level;
    for (; level > 1; nodes += level)
        level = (level + WIDTH - 1) / WIDTH;
    return nodes;
}

void tact_bvh8_pack(size_t count, tact_bvh8_node* nodes, uint32_t root, uint32_t slot)
{
    TACT_ASSERT(count >= 1);
    // The lowest level lies last; its nodes hold leaves, and each of the others eight nodes of the one below it.
    size_t level = (count + PACKED - 1) / PACKED, below = 0, first = tact_bvh8_packed_nodes(count) - level;
    for (size_t i = 0; i < level; ++i) {
        tact_bvh8_node* n = &nodes[root + first + i];
        memset(n, 0, sizeof *n);
        n->node = root + 1;
        n->slot = slot + (uint32_t)(i * PACKED);
        for (size_t k = 0; k < WIDTH; ++k) {
            const size_t before = i * PACKED + k * TACT_BVH8_MAX_LEAF, left = before < count ? count - before : 0;
            const size_t held = left < TACT_BVH8_MAX_LEAF ? left : TACT_BVH8_MAX_LEAF;
            if (held > 0) n->meta[k] = (uint8_t)(held << 5 | k * TACT_BVH8_MAX_LEAF);
        }
    }
    while (level > 1) {
        below = first;
        const size_t children = level;
        level = (level + WIDTH - 1) / WIDTH;
        first -= level;
        for (size_t i = 0; i < level; ++i) {
            tact_bvh8_node* n = &nodes[root + first + i];
            memset(n, 0, sizeof *n);
            n->node = root + (uint32_t)(below + i * WIDTH);
            n->slot = slot;
            for (size_t k = 0; k < WIDTH && i * WIDTH + k < children; ++k) {
                n->meta[k] = (uint8_t)(TACT_BVH8_INNER << 5 | k);
                n->inner |= (uint8_t)(1u << k);
            }
        }
    }
    TACT_ASSERT(first == 0);
}

void tact_bvh8_free(tact_env* env, tact_bvh8* wide)
{
    tact_release(env, wide->nodes);
    tact_release(env, wide->order);
    memset(wide, 0, sizeof *wide);
}
