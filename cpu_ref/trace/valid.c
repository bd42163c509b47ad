// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "cpu_ref/trace/scene.h"

#if defined(TACT_ASSERTS)

#include <float.h>
#include <stdlib.h>

#include "tact/scene.h"

enum { WIDTH = TACT_BVH8_WIDTH, BLOCK = TACT_BVH8_BLOCK };

/// A walk over a tree, whose slots' boxes somebody knows.
typedef struct walk walk;

/// The box of what lies in a slot; false when it must not lie there, or lies somewhere else too.
typedef bool slot_fn(walk* w, uint32_t slot, tact_bvh_box* box);

struct walk {
    const tact_bvh8_node* nodes;
    size_t node_count, slot_count;
    uint32_t max_leaf, max_depth;
    slot_fn* slot;
    const void* user;
    unsigned char *nodes_seen, *seen;  ///< of what lies in slots, by the slots' owner
    size_t nodes_found, found;
    uint32_t deepest;
};

static const tact_bvh_box nothing = {{FLT_MAX, FLT_MAX, FLT_MAX}, {-FLT_MAX, -FLT_MAX, -FLT_MAX}};

static void grow(tact_bvh_box* box, const tact_bvh_box* by)
{
    for (int k = 0; k < 3; ++k) {
        box->lower[k] = by->lower[k] < box->lower[k] ? by->lower[k] : box->lower[k];
        box->upper[k] = by->upper[k] > box->upper[k] ? by->upper[k] : box->upper[k];
    }
}

static bool holds(const tact_bvh_box* outer, const tact_bvh_box* inner)
{
    for (int k = 0; k < 3; ++k) {
        if (!(outer->lower[k] <= inner->lower[k] && inner->upper[k] <= outer->upper[k])) return false;
    }
    return true;
}

/// Whether no walk takes an absent child for one that is there, and nothing comes after it.
static bool is_absent(const tact_bvh8_node* n, int i)
{
    for (int axis = 0; axis < 3; ++axis) {
        if (!(tact_bvh8_side(n, axis, 0, i) > tact_bvh8_side(n, axis, 1, i))) return false;
    }
    return (n->inner >> i & 1) == 0 && (i + 1 == WIDTH || tact_bvh8_kind(n, i + 1) == 0);
}

static bool leaf_is_valid(walk* w, uint32_t first, uint32_t count, tact_bvh_box* box)
{
    if (count > w->max_leaf || first % BLOCK + count > BLOCK || (size_t)first + count > w->slot_count) return false;
    for (uint32_t slot = first; slot < first + count; ++slot) {
        tact_bvh_box one;
        if (!w->slot(w, slot, &one)) return false;
        ++w->found;
        grow(box, &one);
    }
    return true;
}

/// `box` grows by all that is under the node.
static bool node_is_valid(walk* w, uint32_t index, uint32_t depth, tact_bvh_box* box)
{
    if (index >= w->node_count || depth > w->max_depth || w->nodes_seen[index]) return false;
    const tact_bvh8_node* n = &w->nodes[index];
    w->nodes_seen[index] = 1;
    ++w->nodes_found;
    w->deepest = depth > w->deepest ? depth : w->deepest;
    for (int i = 0; i < WIDTH; ++i) {
        const uint32_t kind = tact_bvh8_kind(n, i), child = tact_bvh8_child(n, i);
        if (kind == 0 && !is_absent(n, i)) return false;
        if (kind == 0) continue;
        const bool inner = kind == TACT_BVH8_INNER;
        if ((n->inner >> i & 1) != inner) return false;
        tact_bvh_box under = nothing;
        const tact_bvh_box outer = tact_bvh8_child_box(n, i);
        if (!(inner ? node_is_valid(w, child, depth + 1, &under) : leaf_is_valid(w, child, kind, &under))) return false;
        if (!holds(&outer, &under)) return false;
        grow(box, &under);
    }
    return true;
}

/// `seen` bytes are the slots' owner's. Without memory for the walk the tree is taken to be valid.
static bool run(walk* w, uint32_t root, size_t seen, bool* walked)
{
    w->nodes_seen = calloc(w->node_count + 1, 1);
    w->seen = calloc(seen + 1, 1);
    *walked = w->nodes_seen && w->seen;
    tact_bvh_box all = nothing;
    const bool valid = !*walked || node_is_valid(w, root, 1, &all);
    free(w->nodes_seen);
    free(w->seen);
    return valid;
}

// ---- What a builder has made ----

typedef struct place {
    uint32_t id;
    const tact_build_reference* reference;
} place;

typedef struct built {
    const tact_bvh8* wide;
    const place* places;  ///< by id
    size_t count;
} built;

static int by_id(const void* x, const void* y)
{
    const uint32_t a = ((const place*)x)->id, b = ((const place*)y)->id;
    return a < b ? -1 : a > b;
}

static bool built_slot(walk* w, uint32_t slot, tact_bvh_box* box)
{
    const built* b = w->user;
    const place key = {b->wide->order[slot], NULL};
    const place* p = bsearch(&key, b->places, b->count, sizeof key, by_id);
    if (!p || w->seen[p - b->places]) return false;
    w->seen[p - b->places] = 1;
    for (int k = 0; k < 3; ++k) {
        box->lower[k] = p->reference->lower[k];
        box->upper[k] = -p->reference->negated[k];
    }
    return true;
}

/// Places of blocks that no leaf refers to say so.
static size_t slots_in_use(const tact_bvh8* wide)
{
    size_t used = 0;
    for (size_t i = 0; i < wide->slot_count; ++i)
        used += wide->order[i] != UINT32_MAX;
    return used;
}

bool tact_bvh8_is_valid(const tact_bvh8* wide, const tact_build_desc* desc, const tact_build_reference* references,
                        size_t count)
{
    if (count > TACT_VALIDATE_MOST) return true;
    if (wide->count != count || wide->node_count == 0 || wide->slot_count % BLOCK != 0) return false;
    if (slots_in_use(wide) != count) return false;
    place* places = malloc((count + 1) * sizeof *places);
    if (!places) return true;
    for (size_t i = 0; i < count; ++i)
        places[i] = (place){references[i].id, &references[i]};
    qsort(places, count, sizeof *places, by_id);
    const built b = {wide, places, count};
    walk w = {.nodes = wide->nodes,
              .node_count = wide->node_count,
              .slot_count = wide->slot_count,
              .max_leaf = desc->max_leaf,
              .max_depth = desc->max_depth,
              .slot = built_slot,
              .user = &b};
    bool walked;
    const bool valid = run(&w, 0, count, &walked);
    free(places);
    if (!valid || !walked) return valid;
    return w.found == count && w.nodes_found == wide->node_count && w.deepest == wide->depth;
}

// ---- Meshes of a scene ----

typedef struct mesh_walk {
    const tact_trace_scene* scene;
    const tact_trace_mesh* mesh;
} mesh_walk;

static tact_bvh_box box_of(TactBox b)
{
    return (tact_bvh_box){{b.lx, b.ly, b.lz}, {b.hx, b.hy, b.hz}};
}

static bool see(walk* w, uint32_t primitive, size_t count)
{
    if (primitive >= count || w->seen[primitive]) return false;
    w->seen[primitive] = 1;
    return true;
}

static bool triangle_slot(walk* w, uint32_t slot, tact_bvh_box* box)
{
    const mesh_walk* m = w->user;
    float p[3][3];
    const uint32_t primitive = tact_trace_slot(m->scene, slot, p[0], p[1], p[2]);
    if (!see(w, primitive, m->mesh->triangle_count)) return false;
    for (size_t corner = 0; corner < 3; ++corner) {
        const uint32_t vertex = m->mesh->indices[3 * (size_t)primitive + corner];
        if (memcmp(p[corner], m->mesh->positions + 3 * (size_t)vertex, sizeof p[corner]) != 0) return false;
    }
    *box = box_of(tact_triangle_box(p[0][0], p[0][1], p[0][2], p[1][0], p[1][1], p[1][2], p[2][0], p[2][1], p[2][2]));
    return true;
}

static bool shape_slot(walk* w, uint32_t slot, tact_bvh_box* box)
{
    const mesh_walk* m = w->user;
    const tact_trace_shape* shape = &m->scene->shapes[slot];
    if (!see(w, shape->primitive, m->mesh->shape_count)) return false;
    if (memcmp(shape, &m->mesh->shapes[shape->primitive], sizeof *shape) != 0) return false;
    *box = box_of(tact_shape_box(tact_trace_shape_of(shape), m->mesh->kind));
    return true;
}

static size_t shapes_in_range(const tact_trace_mesh* mesh)
{
    size_t count = 0;
    for (size_t i = 0; i < mesh->shape_count; ++i)
        count += tact_shape_in_range(tact_trace_shape_of(&mesh->shapes[i]), mesh->kind) != 0;
    return count;
}

bool tact_trace_mesh_is_valid(const tact_trace_scene* scene, const tact_trace_mesh* mesh)
{
    const bool triangles = mesh->kind == TACT_KIND_TRIANGLES;
    const size_t count = triangles ? mesh->triangle_count : mesh->shape_count;
    if (count > TACT_VALIDATE_MOST || scene->wide_count > TACT_VALIDATE_MOST) return true;
    const mesh_walk m = {scene, mesh};
    walk w = {.nodes = scene->wide,
              .node_count = scene->wide_count,
              .slot_count = triangles ? scene->slot_count : scene->shape_slot_count,
              .max_leaf = TACT_BVH8_MAX_LEAF,
              .max_depth = TACT_BVH8_MAX_DEPTH,
              .slot = triangles ? triangle_slot : shape_slot,
              .user = &m};
    bool walked;
    const bool valid = run(&w, mesh->wide_root, count, &walked);
    if (!valid || !walked) return valid;
    return w.found == (triangles ? mesh->bounds.kept : shapes_in_range(mesh));
}

// ---- Instances ----

static bool instance_slot(walk* w, uint32_t slot, tact_bvh_box* box)
{
    const tact_trace_scene* scene = w->user;
    const tact_trace_instance* i = &scene->instances[slot];
    if (!see(w, i->id, scene->by_id_count) || memcmp(i, &scene->by_id[i->id], sizeof *i) != 0) return false;
    if (i->mesh >= scene->mesh_count || i->wide_root != scene->meshes[i->mesh].wide_root) return false;
    if (i->kind != scene->meshes[i->mesh].kind) return false;
    memcpy(box->lower, i->lower, sizeof box->lower);
    memcpy(box->upper, i->upper, sizeof box->upper);
    return true;
}

bool tact_trace_top_is_valid(const tact_trace_scene* scene)
{
    if (scene->by_id_count > TACT_VALIDATE_MOST) return true;
    size_t expected = 0;
    for (size_t i = 0; i < scene->by_id_count; ++i) {
        const uint32_t mesh = scene->by_id[i].mesh;
        if (mesh == TACT_NONE) continue;
        if (mesh >= scene->mesh_count || scene->by_id[i].id != i) return false;
        expected += scene->meshes[mesh].bounds.lower[0] <= scene->meshes[mesh].bounds.upper[0];
    }
    if (scene->instance_count != expected) return false;
    walk w = {.nodes = scene->wide_top,
              .node_count = scene->wide_top_count,
              .slot_count = scene->instance_count,
              .max_leaf = 1,
              .max_depth = TACT_BVH8_MAX_TOP_DEPTH,
              .slot = instance_slot,
              .user = scene};
    bool walked;
    const bool valid = run(&w, 0, scene->by_id_count, &walked);
    return valid && (!walked || w.found == expected);
}

#endif
