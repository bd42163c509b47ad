// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bullet's dynamic tree of boxes, bare.
#include <BulletCollision/BroadphaseCollision/btDbvt.h>

#include <new>
#include <vector>

#include "apps/bench/geometry_trees.h"

namespace
{

constexpr size_t N = TACT_GEOMETRY_COUNT, MANY = TACT_TREE_BOXES;

btVector3 vec(const tact_vec3& v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

btDbvtVolume volume(const tact_aabb& b)
{
    return btDbvtVolume::FromMM(vec(b.lower), vec(b.upper));
}

struct Own {
    tact_tree_boxes data;
    btDbvt tree;
    std::vector<btDbvtNode*> leaves;
    bool there = false;
};

struct Counter : btDbvt::ICollide {
    size_t count = 0;
    using btDbvt::ICollide::Process;
    void Process(const btDbvtNode*) override
    {
        ++count;
    }
    void Process(const btDbvtNode* a, const btDbvtNode* b) override
    {
        count += a != b;
    }
};

void fill(btDbvt& tree, const tact_tree_boxes& data, size_t count, std::vector<btDbvtNode*>* leaves)
{
    const tact_aabb* boxes = count == N ? data.asked : data.boxes;
    for (size_t i = 0; i < count; ++i) {
        btDbvtNode* leaf = tree.insert(volume(boxes[i]), nullptr);
        if (leaves) leaves->push_back(leaf);
    }
}

void* make_of(size_t count, bool whole)
{
    Own* own = new (std::nothrow) Own;
    if (!own) return nullptr;
    tact_tree_boxes_make(&own->data);
    fill(own->tree, own->data, count, &own->leaves);
    if (whole) own->tree.optimizeTopDown();
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

size_t make(const tact_geometry_data*, void* user)
{
    btDbvt tree;
    fill(tree, static_cast<Own*>(user)->data, N, nullptr);
    return size_t(tree.m_leaves);
}

size_t in_boxes(const tact_geometry_data*, void* user)
{
    Own& own = *static_cast<Own*>(user);
    Counter counter;
    for (const tact_aabb& b : own.data.asked)
        own.tree.collideTV(own.tree.m_root, volume(b), counter);
    return counter.count;
}

size_t on_rays(const tact_geometry_data*, void* user)
{
    Own& own = *static_cast<Own*>(user);
    Counter counter;
    for (const tact_ray& r : own.data.rays) {
        const tact_vec3 from = {r.ox, r.oy, r.oz}, to = {r.ox + r.dx, r.oy + r.dy, r.oz + r.dz};
        btDbvt::rayTest(own.tree.m_root, vec(from), vec(to), counter);
    }
    return counter.count;
}

size_t moves(const tact_geometry_data*, void* user)
{
    Own& own = *static_cast<Own*>(user);
    own.there = !own.there;
    for (size_t i = 0; i < N; ++i) {
        const size_t id = i * (MANY / N);
        btDbvtVolume to = volume(own.there ? own.data.moved[i] : own.data.boxes[id]);
        own.tree.update(own.leaves[id], to);
    }
    return N;
}

size_t comes_and_goes(const tact_geometry_data*, void* user)
{
    Own& own = *static_cast<Own*>(user);
    for (size_t i = 0; i < N; ++i) {
        const size_t id = i * (MANY / N);
        own.tree.remove(own.leaves[id]);
        own.leaves[id] = own.tree.insert(volume(own.data.boxes[id]), nullptr);
    }
    return N;
}

size_t pairs(const tact_geometry_data*, void* user)
{
    Own& own = *static_cast<Own*>(user);
    Counter counter;
    own.tree.collideTT(own.tree.m_root, own.tree.m_root, counter);
    return counter.count;
}

}  // namespace

extern "C" size_t tact_geometry_ways_bullet(const tact_geometry_way** ways)
{
    static const tact_geometry_way all[] = {
        {"volumes: make", "Bullet", true, few, make, release},
        {"volumes: in a box", "Bullet", true, many, in_boxes, release},
        {"volumes: in a box", "Bullet, made anew", true, many_whole, in_boxes, release},
        {"volumes: on a ray", "Bullet", true, many, on_rays, release},
        {"volumes: on a ray", "Bullet, made anew", true, many_whole, on_rays, release},
        {"volumes: move", "Bullet", true, many_whole, moves, release},
        {"volumes: out and in", "Bullet", true, many_whole, comes_and_goes, release},
        {"volumes: pairs", "Bullet", true, few, pairs, release}};
    *ways = all;
    return sizeof all / sizeof all[0];
}
