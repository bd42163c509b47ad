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
    // Both are powers of two, so that products are exact.
    const float origin = node->origin[axis], scale = scale_of(exponent), inverse = scale_of(254 - exponent);
    // An absent child's lower side must lie above its upper one.
    if (!(origin + 255.0f * scale > origin)) return false;
    int32_t low[WIDTH], high[WIDTH];
    int32_t most = 0;
    for (int i = 0; i < WIDTH; ++i) {
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
    uint32_t bits, size;
    memcpy(&bits, &width, sizeof bits);
    memcpy(&size, &origin, sizeof size);
    const int by_width = (int)(bits >> 23) - 7, by_origin = (int)(size >> 23 & 255u) - 31;
    const int exponent = by_width > by_origin ? by_width : by_origin;
    return exponent > 1 ? exponent : 1;
}

void tact_bvh8_set_boxes(tact_bvh8_node* node, const tact_bvh_box* boxes, int count)
{
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
        node->exponent[axis] = (uint8_t)exponent;
        for (int i = count; i < WIDTH; ++i) {
            node->box[axis][0][i] = 255;
            node->box[axis][1][i] = 0;
        }
    }
}

static float half_area(const tact_bvh_child* c)
{
    const float x = c->upper[0] - c->lower[0], y = c->upper[1] - c->lower[1], z = c->upper[2] - c->lower[2];
    return x * y + y * z + z * x;
}

static bool is_leaf(const tact_bvh_child* c)
{
    return (c->child & (uint32_t)TACT_BVH_LEAF_BIT) != 0;
}

/// The up to eight children that stand for a binary node: leaves first.
static int gather(const tact_bvh* bvh, uint32_t node, tact_bvh_child out[TACT_BVH8_WIDTH])
{
    int count = 0;
    for (int side = 0; side < 2; ++side) {
        const tact_bvh_child* c = &bvh->nodes[node].children[side];
        if (!is_leaf(c) || c->count) out[count++] = *c;
    }
    while (count < TACT_BVH8_WIDTH) {
        int open = -1;
        for (int i = 0; i < count; ++i) {
            if (!is_leaf(&out[i]) && (open < 0 || half_area(&out[i]) > half_area(&out[open]))) open = i;
        }
        if (open < 0) break;
        const tact_bvh_child* two = bvh->nodes[out[open].child].children;
        out[open] = two[0];
        out[count++] = two[1];
    }
    tact_bvh_child sorted[TACT_BVH8_WIDTH];
    int n = 0;
    for (int inner = 0; inner < 2; ++inner) {
        for (int i = 0; i < count; ++i) {
            if (is_leaf(&out[i]) != (inner != 0)) sorted[n++] = out[i];
        }
    }
    memcpy(out, sorted, (size_t)count * sizeof *out);
    return count;
}

typedef struct collapse {
    const tact_bvh* bvh;
    tact_bvh8* wide;
    double cost;
} collapse;

static void place_leaf(tact_bvh8* wide, const tact_bvh* bvh, const tact_bvh_child* c)
{
    const size_t left = TACT_BVH8_BLOCK - wide->slot_count % TACT_BVH8_BLOCK;
    for (size_t k = 0; k < left && left < c->count; ++k)
        wide->order[wide->slot_count++] = UINT32_MAX;
    const uint32_t first = c->child & ~(uint32_t)TACT_BVH_LEAF_BIT;
    for (uint32_t k = 0; k < c->count; ++k)
        wide->order[wide->slot_count++] = bvh->order[first + k];
}

static void make_node(collapse* job, uint32_t at, const tact_bvh_child* children, int count)
{
    tact_bvh8* wide = job->wide;
    tact_bvh8_node* node = &wide->nodes[at];
    memset(node, 0, sizeof *node);
    node->node = (uint32_t)wide->node_count;
    node->slot = (uint32_t)wide->slot_count;
    tact_bvh_box boxes[TACT_BVH8_WIDTH];
    for (int i = 0; i < count; ++i) {
        const tact_bvh_child* c = &children[i];
        memcpy(boxes[i].lower, c->lower, sizeof boxes[i].lower);
        memcpy(boxes[i].upper, c->upper, sizeof boxes[i].upper);
        if (is_leaf(c)) {
            place_leaf(wide, job->bvh, c);
            node->meta[i] = (uint8_t)(c->count << 5 | (wide->slot_count - c->count - node->slot));
            job->cost += (0.4 + 0.1 * (double)c->count) * (double)half_area(c);
        } else {
            node->inner |= (uint8_t)(1u << i);
            node->meta[i] = (uint8_t)((unsigned)TACT_BVH8_INNER << 5 | (wide->node_count - node->node));
            ++wide->node_count;
            job->cost += (double)half_area(c);
        }
    }
    tact_bvh8_set_boxes(node, boxes, count);
}

static void collapse_all(collapse* job)
{
    struct {
        uint32_t binary, place, depth;
    } stack[TACT_BVH8_STACK];
    int top = 0;
    stack[top].binary = stack[top].place = 0;
    stack[top++].depth = 1;
    job->wide->node_count = 1;
    while (top) {
        --top;
        const uint32_t place = stack[top].place, depth = stack[top].depth;
        tact_bvh_child children[TACT_BVH8_WIDTH];
        const int count = gather(job->bvh, stack[top].binary, children);
        make_node(job, place, children, count);
        if (depth > job->wide->depth) job->wide->depth = depth;
        const tact_bvh8_node* node = &job->wide->nodes[place];
        for (int i = count - 1; i >= 0; --i) {
            if (tact_bvh8_kind(node, i) != TACT_BVH8_INNER) continue;
            stack[top].binary = children[i].child;
            stack[top].place = tact_bvh8_child(node, i);
            stack[top++].depth = depth + 1;
        }
    }
}

static double root_area(const tact_bvh* bvh)
{
    tact_bvh_child all = bvh->nodes[0].children[0];
    const tact_bvh_child* other = &bvh->nodes[0].children[1];
    if (is_leaf(other) && !other->count) return (double)half_area(&all);
    for (int k = 0; k < 3; ++k) {
        all.lower[k] = other->lower[k] < all.lower[k] ? other->lower[k] : all.lower[k];
        all.upper[k] = other->upper[k] > all.upper[k] ? other->upper[k] : all.upper[k];
    }
    return (double)half_area(&all);
}

tact_result tact_bvh8_collapse(tact_env* env, const tact_bvh* bvh, tact_bvh8* wide)
{
    memset(wide, 0, sizeof *wide);
    // A leaf of n leaves at most n - 1 places free before it.
    const size_t most = 2 * bvh->count + TACT_BVH8_BLOCK;
    wide->nodes = tact_allocate(env, bvh->node_count, sizeof *wide->nodes);
    wide->order = tact_allocate(env, most, sizeof *wide->order);
    if (!wide->nodes || !wide->order) {
        tact_bvh8_free(env, wide);
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    collapse job = {bvh, wide, 0.0};
    collapse_all(&job);
    while (wide->slot_count % TACT_BVH8_BLOCK)
        wide->order[wide->slot_count++] = UINT32_MAX;
    wide->count = bvh->count;
    const double area = root_area(bvh);
    wide->sah_cost = area > 0.0 ? 1.0 + job.cost / area : 1.0;
    return TACT_OK;
}

void tact_bvh8_free(tact_env* env, tact_bvh8* wide)
{
    tact_release(env, wide->nodes);
    tact_release(env, wide->order);
    memset(wide, 0, sizeof *wide);
}
