// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The Flexible Collision Library's dynamic AABB tree, of all pairs of boxes.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "apps/peers/fcl_boxes.h"
#include "apps/peers/peers.h"

namespace
{

struct Own {
    size_t count;
    fcl_boxes boxes;
    std::unique_ptr<fcl::DynamicAABBTreeCollisionManager<double>> manager;
    std::vector<std::pair<size_t, size_t>> pairs;
};

void* open(size_t count, int)
{
    Own* own = new (std::nothrow) Own;
    if (own) own->count = count;
    return own;
}

bool build(void* data, const tact_aabb* boxes, double)
{
    Own& own = *static_cast<Own*>(data);
    for (size_t i = 0; i < own.count; ++i)
        own.boxes.add(boxes[i]);
    own.manager.reset(new fcl::DynamicAABBTreeCollisionManager<double>);
    own.manager->registerObjects(own.boxes.pointers);
    own.manager->setup();
    return true;
}

void move(void* data, const tact_aabb* boxes)
{
    Own& own = *static_cast<Own*>(data);
    for (size_t i = 0; i < own.count; ++i)
        own.boxes.set(i, boxes[i]);
    own.manager->update(own.boxes.pointers);
}

bool receive(fcl_object* a, fcl_object* b, void* data)
{
    // Leaves' boxes overlap when this is called; the objects' own boxes are tested, since leaves may hold larger ones.
    if (a->getAABB().overlap(b->getAABB())) {
        static_cast<Own*>(data)->pairs.emplace_back(reinterpret_cast<size_t>(a->getUserData()),
                                                    reinterpret_cast<size_t>(b->getUserData()));
    }
    return false;
}

uint64_t find(void* data)
{
    Own& own = *static_cast<Own*>(data);
    own.pairs.clear();
    own.manager->collide(data, receive);
    return own.pairs.size();
}

void clear(void* data)
{
    Own& own = *static_cast<Own*>(data);
    own.manager.reset();
    own.boxes.clear();
}

void close(void* data)
{
    clear(data);
    delete static_cast<Own*>(data);
}

}  // namespace

extern "C" const tact_pair_peer tact_pair_peer_fcl = {"FCL dynamic tree", false, open, build, move, find, clear, close};
