// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bullet's dynamic tree: in its broad phase, which keeps a cache of pairs, and bare. Both use one thread.
#include <BulletCollision/BroadphaseCollision/btDbvt.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <LinearMath/btAlignedAllocator.h>

#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "apps/peers/peers.h"

namespace
{

btVector3 vec(const tact_vec3& v)
{
    return btVector3(btScalar(v.x), btScalar(v.y), btScalar(v.z));
}

// The broad phase.

struct Whole {
    size_t count;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    std::unique_ptr<btDbvtBroadphase> broadphase;
    std::vector<btBroadphaseProxy*> proxies;
    std::vector<std::pair<int, int>> pairs;
};

void* open_whole(size_t count, int)
{
    Whole* own = new (std::nothrow) Whole;
    if (own) own->count = count;
    return own;
}

bool build_whole(void* data, const tact_aabb* boxes, double width)
{
    Whole& own = *static_cast<Whole*>(data);
    // Bullet's margin is made for boxes about one unit wide.
    gDbvtMargin = btScalar(0.05 * width);
    own.broadphase.reset(new btDbvtBroadphase);
    for (size_t i = 0; i < own.count; ++i) {
        own.proxies.push_back(own.broadphase->createProxy(vec(boxes[i].lower), vec(boxes[i].upper), BOX_SHAPE_PROXYTYPE,
                                                          nullptr, btBroadphaseProxy::DefaultFilter,
                                                          btBroadphaseProxy::AllFilter, &own.dispatcher));
    }
    return true;
}

void move_whole(void* data, const tact_aabb* boxes)
{
    Whole& own = *static_cast<Whole*>(data);
    for (size_t i = 0; i < own.count; ++i)
        own.broadphase->setAabb(own.proxies[i], vec(boxes[i].lower), vec(boxes[i].upper), &own.dispatcher);
}

/// The cache holds pairs of widened boxes; the boxes themselves decide.
uint64_t find_whole(void* data)
{
    Whole& own = *static_cast<Whole*>(data);
    own.broadphase->calculateOverlappingPairs(&own.dispatcher);
    const btBroadphasePairArray& cache = own.broadphase->getOverlappingPairCache()->getOverlappingPairArray();
    own.pairs.clear();
    for (int i = 0; i < cache.size(); ++i) {
        const btBroadphaseProxy *a = cache[i].m_pProxy0, *b = cache[i].m_pProxy1;
        if (TestAabbAgainstAabb2(a->m_aabbMin, a->m_aabbMax, b->m_aabbMin, b->m_aabbMax)) {
            own.pairs.emplace_back(a->m_uniqueId, b->m_uniqueId);
        }
    }
    return own.pairs.size();
}

void clear_whole(void* data)
{
    Whole& own = *static_cast<Whole*>(data);
    if (!own.broadphase) return;
    // Destroying proxies by its own function goes through all pairs each time; what they are made of is freed instead.
    own.broadphase.reset();
    for (btBroadphaseProxy* proxy : own.proxies)
        btAlignedFree(proxy);
    own.proxies.clear();
}

void close_whole(void* data)
{
    clear_whole(data);
    delete static_cast<Whole*>(data);
}

// The tree alone.

struct Bare : btDbvt::ICollide {
    size_t count;
    std::unique_ptr<btDbvt> tree;
    std::vector<btDbvtNode*> leaves;
    std::vector<std::pair<int, int>> pairs;

    void Process(const btDbvtNode* a, const btDbvtNode* b) override
    {
        pairs.emplace_back(a->dataAsInt, b->dataAsInt);
    }
};

btDbvtVolume volume(const tact_aabb& box)
{
    return btDbvtVolume::FromMM(vec(box.lower), vec(box.upper));
}

void* open_bare(size_t count, int)
{
    Bare* own = new (std::nothrow) Bare;
    if (own) own->count = count;
    return own;
}

bool build_bare(void* data, const tact_aabb* boxes, double)
{
    Bare& own = *static_cast<Bare*>(data);
    own.tree.reset(new btDbvt);
    for (size_t i = 0; i < own.count; ++i) {
        own.leaves.push_back(own.tree->insert(volume(boxes[i]), nullptr));
        own.leaves[i]->dataAsInt = int(i);
    }
    return true;
}

void move_bare(void* data, const tact_aabb* boxes)
{
    Bare& own = *static_cast<Bare*>(data);
    for (size_t i = 0; i < own.count; ++i) {
        btDbvtVolume v = volume(boxes[i]);
        own.tree->update(own.leaves[i], v);
    }
}

uint64_t find_bare(void* data)
{
    Bare& own = *static_cast<Bare*>(data);
    own.pairs.clear();
    own.tree->collideTTpersistentStack(own.tree->m_root, own.tree->m_root, own);
    return own.pairs.size();
}

void clear_bare(void* data)
{
    Bare& own = *static_cast<Bare*>(data);
    own.tree.reset();
    own.leaves.clear();
}

void close_bare(void* data)
{
    delete static_cast<Bare*>(data);
}

}  // namespace

extern "C" const tact_pair_peer tact_pair_peer_bullet = {"Bullet broad phase", false,      open_whole,  build_whole,
                                                         move_whole,           find_whole, clear_whole, close_whole};
extern "C" const tact_pair_peer tact_pair_peer_dbvt = {"Bullet btDbvt", false,     open_bare,  build_bare,
                                                       move_bare,       find_bare, clear_bare, close_bare};
