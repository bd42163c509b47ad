// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The Flexible Collision Library's dynamic AABB tree, in double precision, as Debian builds it. The objects' boxes are
// given as they are, not through a shape and a place, so that the pairs are the same.
#include <fcl/broadphase/broadphase_dynamic_AABB_tree.h>
#include <fcl/narrowphase/collision_object.h>

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "apps/peers/peers.h"

namespace
{

using Object = fcl::CollisionObject<double>;

/// A shape of which only the box is known.
struct Box : fcl::CollisionGeometry<double> {
    void computeLocalAABB() override
    {
    }

    void set(const tact_aabb& b)
    {
        aabb_local = fcl::AABB<double>(fcl::Vector3<double>(double(b.lower.x), double(b.lower.y), double(b.lower.z)),
                                       fcl::Vector3<double>(double(b.upper.x), double(b.upper.y), double(b.upper.z)));
        aabb_center = aabb_local.center();
        aabb_radius = (aabb_local.min_ - aabb_center).norm();
    }
};

struct Own {
    size_t count;
    std::vector<std::shared_ptr<Box>> shapes;
    std::vector<std::unique_ptr<Object>> objects;
    std::vector<Object*> pointers;
    std::unique_ptr<fcl::DynamicAABBTreeCollisionManager<double>> manager;
    std::vector<std::pair<size_t, size_t>> pairs;
};

void* open(size_t count, int)
{
    Own* own = new (std::nothrow) Own;
    if (own) own->count = count;
    return own;
}

/// A box that turns by nothing is the shape's own box, moved by nothing: exact.
void place(Object* object)
{
    object->computeAABB();
}

bool build(void* data, const tact_aabb* boxes, double)
{
    Own& own = *static_cast<Own*>(data);
    for (size_t i = 0; i < own.count; ++i) {
        own.shapes.push_back(std::make_shared<Box>());
        own.shapes[i]->set(boxes[i]);
        own.objects.emplace_back(new Object(own.shapes[i]));
        own.pointers.push_back(own.objects[i].get());
        own.objects[i]->setUserData(reinterpret_cast<void*>(i));
        place(own.pointers[i]);
    }
    own.manager.reset(new fcl::DynamicAABBTreeCollisionManager<double>);
    own.manager->registerObjects(own.pointers);
    own.manager->setup();
    return true;
}

void move(void* data, const tact_aabb* boxes)
{
    Own& own = *static_cast<Own*>(data);
    for (size_t i = 0; i < own.count; ++i) {
        own.shapes[i]->set(boxes[i]);
        place(own.pointers[i]);
    }
    own.manager->update(own.pointers);
}

bool receive(Object* a, Object* b, void* data)
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
    own.pointers.clear();
    own.objects.clear();
    own.shapes.clear();
}

void close(void* data)
{
    clear(data);
    delete static_cast<Own*>(data);
}

}  // namespace

extern "C" const tact_pair_peer tact_pair_peer_fcl = {"FCL dynamic tree", false, open, build, move, find, clear, close};
