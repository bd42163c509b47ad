// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The Flexible Collision Library's dynamic tree of boxes, by its manager: it has no other face. What is looked up by
// object there is part of the times.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>

#include <new>
#include <vector>

#include "apps/bench/geometry_trees.h"
#include "apps/peers/fcl_boxes.h"

namespace
{

constexpr size_t N = TACT_GEOMETRY_COUNT, MANY = TACT_TREE_BOXES;

using Tree = fcl::DynamicAABBTreeCollisionManager<double>;

struct Own {
    tact_tree_boxes data;
    fcl_boxes boxes, asked;
    Tree tree;
    bool there = false;
};

void fill(Tree& tree, const fcl_boxes& boxes, bool whole)
{
    if (whole) {
        tree.registerObjects(boxes.pointers);
        return;
    }
    for (fcl_object* object : boxes.pointers)
        tree.registerObject(object);
}

void* make_of(size_t count, bool whole)
{
    Own* own = new (std::nothrow) Own;
    if (!own) return nullptr;
    tact_tree_boxes_make(&own->data);
    for (size_t i = 0; i < N; ++i)
        own->asked.add(own->data.asked[i]);
    for (size_t i = 0; i < count; ++i)
        own->boxes.add(count == N ? own->data.asked[i] : own->data.boxes[i]);
    fill(own->tree, own->boxes, whole);
    return own;
}

void* many(const tact_geometry_data*)
{
    return make_of(MANY, false);
}

void* many_whole(const tact_geometry_data*)
{
    return make_of(MANY, true);
}

void* few(const tact_geometry_data*)
{
    return make_of(N, true);
}

void release(void* own)
{
    delete static_cast<Own*>(own);
}

size_t make(void* user, bool whole)
{
    Tree tree;
    fill(tree, static_cast<Own*>(user)->boxes, whole);
    return tree.size();
}

size_t make_single(const tact_geometry_data*, void* user)
{
    return make(user, false);
}

size_t make_whole(const tact_geometry_data*, void* user)
{
    return make(user, true);
}

// Called where the boxes overlap. False: the search goes on.
bool count_one(fcl_object*, fcl_object*, void* count)
{
    ++*static_cast<size_t*>(count);
    return false;
}

size_t in_boxes(const tact_geometry_data*, void* user)
{
    Own& own = *static_cast<Own*>(user);
    size_t count = 0;
    for (fcl_object* object : own.asked.pointers)
        own.tree.collide(object, &count, count_one);
    return count;
}

size_t moves(const tact_geometry_data*, void* user)
{
    Own& own = *static_cast<Own*>(user);
    std::vector<fcl_object*> moved;
    own.there = !own.there;
    moved.reserve(N);
    for (size_t i = 0; i < N; ++i) {
        const size_t id = i * (MANY / N);
        own.boxes.set(id, own.there ? own.data.moved[i] : own.data.boxes[id]);
        moved.push_back(own.boxes.pointers[id]);
    }
    own.tree.update(moved);
    return N;
}

size_t comes_and_goes(const tact_geometry_data*, void* user)
{
    Own& own = *static_cast<Own*>(user);
    for (size_t i = 0; i < N; ++i) {
        fcl_object* object = own.boxes.pointers[i * (MANY / N)];
        own.tree.unregisterObject(object);
        own.tree.registerObject(object);
    }
    return N;
}

size_t pairs(const tact_geometry_data*, void* user)
{
    size_t count = 0;
    static_cast<Own*>(user)->tree.collide(&count, count_one);
    return count;
}

}  // namespace

extern "C" size_t tact_geometry_ways_fcl_trees(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {
        {"volumes: make", "FCL", true, few, make_single, release},
        {"volumes: make", "FCL, made whole", true, few, make_whole, release},
        {"volumes: in a box", "FCL", true, many, in_boxes, release},
        {"volumes: in a box", "FCL, made whole", true, many_whole, in_boxes, release},
        {"volumes: move", "FCL", true, many_whole, moves, release},
        {"volumes: out and in", "FCL", true, many_whole, comes_and_goes, release},
        {"volumes: pairs", "FCL", true, few, pairs, release}};
    *ways = all;
    return sizeof all / sizeof all[0];
}
