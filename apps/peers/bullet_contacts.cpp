// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bullet's narrow phase, by the algorithms that its dispatcher chooses for a pair, and all of a collision world's step.
// Single precision, as Debian builds it.
#include <BulletCollision/BroadphaseCollision/btCollisionAlgorithm.h>
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionObjectWrapper.h>
#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>
#include <BulletCollision/CollisionDispatch/btManifoldResult.h>

#include <memory>
#include <new>
#include <vector>

#include "apps/peers/bullet_shapes.h"
#include "apps/peers/peers.h"
#include "apps/peers/share.h"

namespace
{

using bullet::Shape;
using bullet::shape_of;
using bullet::transform;

int touching(const btPersistentManifold& manifold)
{
    int count = 0;
    for (int i = 0; i < manifold.getNumContacts(); ++i)
        count += manifold.getContactPoint(i).getDistance() <= 0;
    return count;
}

// ---- Pairs ----

enum Way { COLD, WARM };

struct Own {
    Way way;
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    std::vector<Shape> shapes;
    std::vector<btCollisionObject> objects;
    std::vector<btCollisionAlgorithm*> algorithms;
    std::vector<btPersistentManifold*> manifolds;
    const tact_pair* pairs;
    int threads;

    ~Own()
    {
        for (btCollisionAlgorithm* algorithm : algorithms) {
            algorithm->~btCollisionAlgorithm();
            dispatcher.freeCollisionAlgorithm(algorithm);
        }
    }
};

/// The manifolds are the algorithms' own.
void process(Own& own, size_t i)
{
    const btCollisionObject &a = own.objects[own.pairs[i].a], &b = own.objects[own.pairs[i].b];
    const btCollisionObjectWrapper first(nullptr, a.getCollisionShape(), &a, a.getWorldTransform(), -1, -1),
        second(nullptr, b.getCollisionShape(), &b, b.getWorldTransform(), -1, -1);
    if (i == own.algorithms.size())
        own.algorithms.push_back(own.dispatcher.findAlgorithm(&first, &second, nullptr, BT_CONTACT_POINT_ALGORITHMS));
    const btDispatcherInfo info;
    btManifoldResult result(&first, &second);
    own.algorithms[i]->processCollision(&first, &second, info, &result);
}

void* make(const tact_contact_peer_input* input, Way way)
{
    std::unique_ptr<Own> own(new (std::nothrow) Own);
    if (!own) return nullptr;
    own->way = way;
    own->pairs = input->pairs;
    own->threads = input->threads;
    for (size_t i = 0; i < input->shape_count; ++i)
        own->shapes.push_back(shape_of(input->shapes[i], 1.0f));
    own->objects = std::vector<btCollisionObject>(input->body_count);
    for (size_t i = 0; i < input->body_count; ++i) {
        const tact_body& b = input->bodies[i];
        if (!own->shapes[b.shape] || b.pose.scale != 1.0f) return nullptr;
        own->objects[i].setCollisionShape(own->shapes[b.shape].get());
        own->objects[i].setWorldTransform(transform(b.pose));
    }
    btManifoldArray found;
    for (size_t i = 0; i < input->pair_count; ++i) {
        process(*own, i);
        found.resize(0);
        own->algorithms[i]->getAllContactManifolds(found);
        if (found.size() != 1) return nullptr;
        own->manifolds.push_back(found[0]);
    }
    return own.release();
}

void* make_cold(const tact_contact_peer_input* input)
{
    return make(input, COLD);
}

void* make_warm(const tact_contact_peer_input* input)
{
    return make(input, WARM);
}

bool run(void* data, uint8_t* points)
{
    Own& own = *static_cast<Own*>(data);
    return share_out(own.algorithms.size(), 64, own.threads, [&](size_t i) {
        if (own.way != WARM) own.manifolds[i]->clearManifold();
        process(own, i);
        points[i] = uint8_t(touching(*own.manifolds[i]));
    });
}

void release(void* data)
{
    delete static_cast<Own*>(data);
}

// ---- A world ----

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    std::vector<Shape> shapes;
    std::vector<std::unique_ptr<btCollisionObject>> objects;
};

void* make_world(const tact_contact_peer_input* input)
{
    std::unique_ptr<World> own(new (std::nothrow) World);
    if (!own) return nullptr;
    for (size_t i = 0; i < input->body_count; ++i) {
        const tact_body& b = input->bodies[i];
        own->shapes.push_back(shape_of(input->shapes[b.shape], b.pose.scale));
        if (!own->shapes.back()) return nullptr;
        own->objects.emplace_back(new btCollisionObject);
        own->objects[i]->setCollisionShape(own->shapes[i].get());
        own->objects[i]->setWorldTransform(transform(b.pose));
        own->world.addCollisionObject(own->objects[i].get());
    }
    // The first step takes very long, as the tree has all bodies where they were added, one by one.
    own->world.performDiscreteCollisionDetection();
    return own.release();
}

bool run_world(void* data, const tact_pose* poses, size_t* touch)
{
    World& own = *static_cast<World*>(data);
    for (size_t i = 0; i < own.objects.size(); ++i)
        own.objects[i]->setWorldTransform(transform(poses[i]));
    own.world.performDiscreteCollisionDetection();
    *touch = 0;
    for (int i = 0; i < own.dispatcher.getNumManifolds(); ++i)
        *touch += touching(*own.dispatcher.getManifoldByIndexInternal(i)) > 0;
    return true;
}

struct Every : btOverlapCallback {
    bool processOverlap(btBroadphasePair&) override
    {
        return true;
    }
};

/// An object that leaves goes through all pairs: they leave first.
void release_world(void* data)
{
    World* own = static_cast<World*>(data);
    Every every;
    own->broadphase.getOverlappingPairCache()->processAllOverlappingPairs(&every, &own->dispatcher);
    for (const auto& object : own->objects)
        own->world.removeCollisionObject(object.get());
    delete own;
}

}  // namespace

// With a mesh its algorithms ask the dispatcher for others, which threads must not at the same time.
extern "C" const tact_contact_peer tact_contact_peer_bullet_cold = {"Bullet cold", make_cold, run, release, 1};
extern "C" const tact_contact_peer tact_contact_peer_bullet_warm = {"Bullet warm", make_warm, run, release, 1};
extern "C" const tact_world_peer tact_world_peer_bullet = {"Bullet world", make_world, run_world, release_world};
