// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include <stdlib.h>

#include "base/env.h"
#include "cpu_ref/geometry/bsp_internal.h"
#include "cpu_ref/geometry/mesh_internal.h"
#include "cpu_ref/geometry/predicates_internal.h"
#include "tact/geometry/mesh_combine.h"

enum {
    USUAL_CANDIDATES = 8,
    USUAL_DEPTH = 65536,
    SAMPLE = 48,  ///< pieces that a candidate's cost is found from
    MANY = 1024   ///< corners of a piece for which there is room without allocating
};

/// Pieces, one after the other.
typedef struct stream {
    unsigned char* bytes;
    size_t used, capacity;
} stream;

/// What is left of a region's surface, to the end of the stack of pieces or the next item's.
typedef struct item {
    size_t begin;     ///< in the stack of pieces
    uint32_t parent;  ///< node; of the root itself
    uint32_t side;    ///< of it
    uint32_t depth;   ///< nodes above
} item;

typedef struct build {
    tact_env env;
    tact_bsp* tree;
    tact_bsp_mesh mesh;
    tact_bsp_settings settings;
    stream stack, front, back;
    item* items;
    size_t item_count, item_capacity;
    size_t node_capacity, face_capacity;
    size_t* offsets;  ///< of the pieces of the region
    size_t piece_count, offset_capacity;
    uint64_t depth_sum;
    // Of the region's pieces in the plane: which way they face, and one of each.
    bool same, opposite;
    uint32_t same_triangle, opposite_triangle;
} build;

// ---- Memory ----

static tact_result check_memory(build* b)
{
    const uint64_t bytes = b->stack.capacity + b->front.capacity + b->back.capacity +
                           b->item_capacity * sizeof *b->items + b->offset_capacity * sizeof *b->offsets +
                           b->node_capacity * sizeof *b->tree->nodes + b->face_capacity * sizeof *b->tree->faces;
    if (bytes > b->tree->peak_bytes) b->tree->peak_bytes = bytes;
    if (bytes <= b->settings.memory_limit) return TACT_OK;
    return tact_fail(&b->env, TACT_ERROR_LIMIT, "the tree takes more than %llu bytes after %zu nodes",
                     (unsigned long long)b->settings.memory_limit, b->tree->node_count);
}

static bool reserve_bytes(build* b, stream* s, size_t more)
{
    return tact_reserve(&b->env, (void**)&s->bytes, &s->capacity, s->used, s->used + more, 1);
}

static tact_result append(build* b, stream* s, const void* bytes, size_t count)
{
    if (!reserve_bytes(b, s, count)) return TACT_ERROR_OUT_OF_MEMORY;
    if (count) memcpy(s->bytes + s->used, bytes, count);
    s->used += count;
    return TACT_OK;
}

static const tact_bsp_piece* piece_at(const build* b, size_t number)
{
    return (const tact_bsp_piece*)(b->stack.bytes + b->offsets[number]);
}

static tact_result find_pieces(build* b, size_t begin)
{
    b->piece_count = 0;
    for (size_t at = begin; at < b->stack.used;) {
        if (!tact_reserve(&b->env, (void**)&b->offsets, &b->offset_capacity, b->piece_count, b->piece_count + 1,
                          sizeof *b->offsets)) {
            return TACT_ERROR_OUT_OF_MEMORY;
        }
        b->offsets[b->piece_count++] = at;
        at += bsp_piece_size((const tact_bsp_piece*)(b->stack.bytes + at));
    }
    return TACT_OK;
}

// ---- The choice of a plane ----

static tact_vec3 first_corner(const build* b, uint32_t triangle)
{
    return b->mesh.positions[b->mesh.indices[3 * (size_t)triangle]];
}

/// What the plane costs, by some of the region's pieces. Infinite for one that does not divide.
static double cost_of(const build* b, const tact_bsp_node* node)
{
    const size_t count = b->piece_count < SAMPLE ? b->piece_count : SAMPLE;
    double found[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t i = 0; i < count; ++i) {
        const tact_bsp_piece* piece = piece_at(b, i * b->piece_count / count);
        double row[3];
        int8_t sides[MANY];
        if (piece->edges > MANY) continue;
        found[tact_bsp_classify(&b->mesh, node, piece, row, sides)] += 1.0;
    }
    const double front = found[BSP_FRONT] + found[BSP_CUT], back = found[BSP_BACK] + found[BSP_CUT];
    if (node->triangle >= TACT_BSP_AXIS && (front == 0.0 || back == 0.0)) return HUGE_VAL;
    return fabs(front - back) + (double)b->settings.split_cost * found[BSP_CUT];
}

static int by_size(const void* a, const void* b)
{
    const float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

/// The vertex in the middle along an axis, of some pieces' first corners.
static tact_vec3 middle_vertex(const build* b, uint32_t axis)
{
    const size_t count = b->piece_count < SAMPLE ? b->piece_count : SAMPLE;
    float along[SAMPLE];
    tact_vec3 p = {0.0f, 0.0f, 0.0f};
    for (size_t i = 0; i < count; ++i) {
        p = first_corner(b, piece_at(b, i * b->piece_count / count)->triangle);
        along[i] = axis == 0 ? p.x : axis == 1 ? p.y : p.z;
    }
    qsort(along, count, sizeof *along, by_size);
    const float middle = along[count / 2];
    if (axis == 0) p.x = middle;
    if (axis == 1) p.y = middle;
    if (axis == 2) p.z = middle;
    return p;
}

/// The plane of the least cost. One across an axis has pieces on both sides, so it is next to no leaf.
static void choose(const build* b, tact_bsp_node* best)
{
    double least = HUGE_VAL;
    const size_t tried = b->piece_count < b->settings.candidates ? b->piece_count : b->settings.candidates;
    for (size_t i = 0; i < tried; ++i) {
        tact_bsp_node node = {.reserved = 0};
        const uint32_t triangle = piece_at(b, i * b->piece_count / tried)->triangle;
        tact_bsp_set_plane(&b->mesh, &node, triangle, first_corner(b, triangle));
        const double cost = cost_of(b, &node);
        if (i > 0 && !(cost < least)) continue;
        least = cost;
        *best = node;
    }
    for (uint32_t axis = 0; !b->settings.faces_only && b->piece_count > 4 && axis < 3; ++axis) {
        tact_bsp_node node = {.reserved = 0};
        tact_bsp_set_plane(&b->mesh, &node, TACT_BSP_AXIS + axis, middle_vertex(b, axis));
        const double cost = cost_of(b, &node);
        if (!(cost < least)) continue;
        least = cost;
        *best = node;
    }
}

// ---- Dividing ----

static tact_result add_face(build* b, uint32_t triangle)
{
    tact_bsp* tree = b->tree;
    if (!tact_reserve(&b->env, (void**)&tree->faces, &b->face_capacity, tree->face_count, tree->face_count + 1,
                      sizeof *tree->faces)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    tree->faces[tree->face_count++] = triangle;
    const tact_bsp_node* node = &tree->nodes[tree->node_count - 1];
    if (node->triangle >= TACT_BSP_AXIS) return TACT_OK;
    if (tact_bsp_facing(&b->mesh, node, triangle) > 0) {
        b->same = true;
        b->same_triangle = triangle;
    } else {
        b->opposite = true;
        b->opposite_triangle = triangle;
    }
    return TACT_OK;
}

static tact_result cut_piece(build* b, const tact_bsp_piece* piece, const double row[3], const int8_t* sides)
{
    const size_t room = bsp_piece_size(piece) + sizeof(tact_bsp_edge);
    if (!reserve_bytes(b, &b->front, room) || !reserve_bytes(b, &b->back, room)) return TACT_ERROR_OUT_OF_MEMORY;
    tact_bsp_piece* front = (tact_bsp_piece*)(b->front.bytes + b->front.used);
    tact_bsp_piece* back = (tact_bsp_piece*)(b->back.bytes + b->back.used);
    tact_bsp_cut(piece, (uint32_t)(b->tree->node_count - 1), row, sides, front, back);
    b->front.used += bsp_piece_size(front);
    b->back.used += bsp_piece_size(back);
    ++b->tree->cuts;
    return TACT_OK;
}

/// Sorts the region's pieces into those in front, behind and in the plane of the last node.
static tact_result divide(build* b)
{
    tact_result result = TACT_OK;
    const tact_bsp_node* node = &b->tree->nodes[b->tree->node_count - 1];
    b->front.used = b->back.used = 0;
    b->same = b->opposite = false;
    for (size_t i = 0; result >= 0 && i < b->piece_count; ++i) {
        const tact_bsp_piece* piece = piece_at(b, i);
        double row[3];
        int8_t sides[MANY];
        if (piece->edges >= MANY) {
            return tact_fail(&b->env, TACT_ERROR_LIMIT, "a piece of triangle %u has %u sides",
                             (unsigned)piece->triangle, (unsigned)piece->edges);
        }
        switch (tact_bsp_classify(&b->mesh, node, piece, row, sides)) {
            case BSP_FRONT:
                result = append(b, &b->front, piece, bsp_piece_size(piece));
                break;
            case BSP_BACK:
                result = append(b, &b->back, piece, bsp_piece_size(piece));
                break;
            case BSP_IN_PLANE:
                result = add_face(b, piece->triangle);
                break;
            default:
                result = cut_piece(b, piece, row, sides);
        }
    }
    return result;
}

static tact_result add_node(build* b, tact_bsp_node node)
{
    tact_bsp* tree = b->tree;
    if (!tact_reserve(&b->env, (void**)&tree->nodes, &b->node_capacity, tree->node_count, tree->node_count + 1,
                      sizeof *tree->nodes)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    node.first_face = (uint32_t)tree->face_count;
    tree->nodes[tree->node_count++] = node;
    b->mesh.nodes = tree->nodes;
    return TACT_OK;
}

/// Puts a plane into the tree and divides the region by it.
static tact_result divide_by_best(build* b)
{
    tact_bsp_node best = {.reserved = 0};
    choose(b, &best);
    const tact_result result = add_node(b, best);
    return result < 0 ? result : divide(b);
}

// ---- Leaves ----

static tact_result add_leaf(build* b, uint32_t node, int side, uint32_t depth)
{
    if (b->same && b->opposite) {
        return tact_fail(&b->env, TACT_ERROR_INVALID_ARGUMENT,
                         "triangles %u and %u lie on each other and face opposite ways", (unsigned)b->same_triangle,
                         (unsigned)b->opposite_triangle);
    }
    const bool solid = b->same == (side == 1);
    b->tree->nodes[node].child[side] = solid ? TACT_BSP_SOLID : TACT_BSP_EMPTY;
    ++*(solid ? &b->tree->solid_leaves : &b->tree->empty_leaves);
    b->depth_sum += depth;
    return TACT_OK;
}

static tact_result push(build* b, uint32_t node, uint32_t side, uint32_t depth, const stream* pieces)
{
    if (!tact_reserve(&b->env, (void**)&b->items, &b->item_capacity, b->item_count, b->item_count + 1,
                      sizeof *b->items)) {
        return TACT_ERROR_OUT_OF_MEMORY;
    }
    b->items[b->item_count++] = (item){b->stack.used, node, side, depth};
    return append(b, &b->stack, pieces->bytes, pieces->used);
}

/// Divides the region that was put aside last.
static tact_result step(build* b)
{
    const item it = b->items[--b->item_count];
    tact_bsp* tree = b->tree;
    if (it.depth >= b->settings.depth_limit) {
        return tact_fail(&b->env, TACT_ERROR_LIMIT, "the tree is deeper than %u nodes",
                         (unsigned)b->settings.depth_limit);
    }
    tact_result result = find_pieces(b, it.begin);
    if (result >= 0) result = divide_by_best(b);
    if (result < 0) return result;
    const uint32_t number = (uint32_t)(tree->node_count - 1), depth = it.depth + 1;
    if (number > 0) tree->nodes[it.parent].child[it.side] = (int32_t)number;
    if (depth > tree->depth) tree->depth = depth;
    b->stack.used = it.begin;
    const stream* part[2] = {&b->front, &b->back};
    for (uint32_t side = 2; result >= 0 && side-- > 0;) {
        result = part[side]->used ? push(b, number, side, depth, part[side]) : add_leaf(b, number, (int)side, depth);
    }
    if (result >= 0) result = check_memory(b);
    if (result >= 0 && (tree->node_count >= INT32_MAX || tree->face_count >= UINT32_MAX)) {
        result = tact_fail(&b->env, TACT_ERROR_LIMIT, "the tree has more than 2^31 nodes or 2^32 faces");
    }
    return result;
}

// ---- The whole ----

static tact_result check_crossings(tact_env* env, const tact_mesh_view* mesh, const tact_allocator* allocator)
{
    uint32_t pair[2];
    size_t count;
    const tact_result result = tact_mesh_crossings(mesh, allocator, pair, 1, &count);
    if (result < 0 || count == 0) return result;
    return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                     "mesh given passes through or touches itself in %zu pairs of triangles, first %u and %u", count,
                     (unsigned)pair[0], (unsigned)pair[1]);
}

static tact_result check_mesh(tact_env* env, const tact_mesh_view* mesh, const tact_allocator* allocator,
                              bool crossings)
{
    tact_mesh_report report;
    tact_result result = tact_mesh_report_make(mesh, allocator, &report);
    if (result < 0) return result;
    result = tact_mesh_check_closed(env, "given", report.bad_triangles, report.odd_edges, report.misoriented_edges);
    if (result < 0) return result;
    if (!(report.volume > 0.0)) {
        return tact_fail(env, TACT_ERROR_INVALID_ARGUMENT,
                         "the mesh encloses no volume, or is inside out: its volume is %g", report.volume);
    }
    return crossings ? check_crossings(env, mesh, allocator) : TACT_OK;
}

static tact_result copy_mesh(build* b, const tact_mesh_view* mesh)
{
    tact_bsp* tree = b->tree;
    tree->positions = tact_allocate(&b->env, mesh->vertex_count, sizeof *tree->positions);
    tree->indices = tact_allocate(&b->env, mesh->triangle_count, 3 * sizeof *tree->indices);
    if (!tree->positions || !tree->indices) return TACT_ERROR_OUT_OF_MEMORY;
    memcpy(tree->positions, mesh->positions, mesh->vertex_count * sizeof *tree->positions);
    memcpy(tree->indices, mesh->indices, 3 * mesh->triangle_count * sizeof *tree->indices);
    // Vertices that no triangle names may hold anything.
    int32_t scale = INT32_MAX;
    for (size_t i = 0; i < 3 * mesh->triangle_count; ++i) {
        const int32_t lowest = tact_bsp_scale_of(&tree->positions[tree->indices[i]], 1);
        scale = lowest < scale ? lowest : scale;
    }
    tree->vertex_count = mesh->vertex_count;
    tree->triangle_count = mesh->triangle_count;
    tree->scale = scale;
    b->mesh = (tact_bsp_mesh){tree->positions, tree->indices, NULL, scale, &tree->unsure};
    return TACT_OK;
}

static tact_result begin(build* b)
{
    const tact_vec3* p = b->mesh.positions;
    tact_result result = TACT_OK;
    for (uint32_t i = 0; result >= 0 && i < b->tree->triangle_count; ++i) {
        const uint32_t* t = b->mesh.indices + 3 * (size_t)i;
        if (tact_collinear(p[t[0]], p[t[1]], p[t[2]])) continue;
        if (!reserve_bytes(b, &b->front, sizeof(tact_bsp_piece) + 3 * sizeof(tact_bsp_edge))) {
            return TACT_ERROR_OUT_OF_MEMORY;
        }
        tact_bsp_piece* piece = (tact_bsp_piece*)(b->front.bytes + b->front.used);
        tact_bsp_piece_whole(piece, i);
        b->front.used += bsp_piece_size(piece);
    }
    return push(b, 0, 0, 0, &b->front);
}

static void set_defaults(tact_bsp_settings* settings, size_t triangles)
{
    if (settings->candidates == 0) settings->candidates = USUAL_CANDIDATES;
    if (settings->split_cost == 0.0f) settings->split_cost = 2.0f;
    if (settings->depth_limit == 0) settings->depth_limit = USUAL_DEPTH;
    if (settings->memory_limit == 0) settings->memory_limit = ((uint64_t)16 << 20) + ((uint64_t)triangles << 14);
}

static tact_result make(build* b, const tact_mesh_view* mesh)
{
    tact_result result = copy_mesh(b, mesh);
    if (result >= 0) result = begin(b);
    if (result >= 0) result = check_memory(b);
    while (result >= 0 && b->item_count > 0)
        result = step(b);
    b->tree->mean_depth = (double)b->depth_sum / (double)(b->tree->solid_leaves + b->tree->empty_leaves);
    tact_release(&b->env, b->stack.bytes);
    tact_release(&b->env, b->front.bytes);
    tact_release(&b->env, b->back.bytes);
    tact_release(&b->env, b->items);
    tact_release(&b->env, b->offsets);
    return result;
}

tact_result tact_bsp_make(const tact_mesh_view* mesh, const tact_bsp_settings* settings,
                          const tact_allocator* allocator, tact_bsp* tree)
{
    build b = {.item_count = 0};
    memset(tree, 0, sizeof *tree);
    tact_env_init(&b.env, allocator, NULL, NULL, NULL, NULL);
    tact_error_begin(NULL);
    if (settings) b.settings = *settings;
    if (!(b.settings.split_cost >= 0.0f)) {
        return tact_fail(&b.env, TACT_ERROR_INVALID_ARGUMENT, "split_cost is %g", (double)b.settings.split_cost);
    }
    set_defaults(&b.settings, mesh->triangle_count);
    tact_result result = check_mesh(&b.env, mesh, allocator, b.settings.no_crossings);
    if (result < 0) return result;
    tree->allocator = b.env.allocator;
    b.tree = tree;
    result = make(&b, mesh);
    if (result < 0) tact_bsp_free(tree);
    return result;
}

void tact_bsp_free(tact_bsp* tree)
{
    void* const arrays[] = {tree->positions, tree->indices, tree->nodes, tree->faces};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) {
        if (arrays[i]) tree->allocator.release(arrays[i], tree->allocator.user);
    }
    memset(tree, 0, sizeof *tree);
}
