// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bullet's rays and convex sweeps through a collision world, on one thread. It moves shapes without turning them.
#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionDispatch/btCollisionDispatcher.h>
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionDispatch/btDefaultCollisionConfiguration.h>

#include <cmath>
#include <memory>
#include <new>
#include <vector>

#include "apps/peers/bullet_shapes.h"
#include "apps/peers/peers.h"

namespace
{

struct Own {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher{&configuration};
    btDbvtBroadphase broadphase;
    btCollisionWorld world{&dispatcher, &broadphase, &configuration};
    std::vector<bullet::Shape> shapes, moved;
    std::vector<std::unique_ptr<btCollisionObject>> objects;
    std::vector<tact_body_cast> casts;

    ~Own()
    {
        for (const auto& object : objects)
            world.removeCollisionObject(object.get());
    }
};

bool turns(const tact_body_cast& c)
{
    const tact_quat &p = c.from.rotation, &q = c.to.rotation;
    return p.x != q.x || p.y != q.y || p.z != q.z || p.w != q.w;
}

void* make(const tact_contact_peer_input* input, const tact_body_cast* casts, size_t count)
{
    std::unique_ptr<Own> own(new (std::nothrow) Own);
    if (!own) return nullptr;
    own->casts.assign(casts, casts + count);
    for (size_t i = 0; i < input->shape_count; ++i)
        own->moved.push_back(nullptr);
    for (const tact_body_cast& c : own->casts) {
        bullet::Shape& shape = own->moved[c.shape];
        if (!shape) shape = bullet::shape_of(input->shapes[c.shape], c.from.scale);
        if (!shape || !shape->isConvex() || turns(c)) return nullptr;
    }
    for (size_t i = 0; i < input->body_count; ++i) {
        const tact_body& b = input->bodies[i];
        own->shapes.push_back(bullet::shape_of(input->shapes[b.shape], b.pose.scale));
        if (!own->shapes.back()) return nullptr;
        own->objects.emplace_back(new btCollisionObject);
        own->objects[i]->setCollisionShape(own->shapes[i].get());
        own->objects[i]->setWorldTransform(bullet::transform(b.pose));
        own->world.addCollisionObject(own->objects[i].get());
    }
    // Its tree is that of bodies added one by one; this makes it better, as steps of a world would. optimize() frees
    // what it did not allocate, as Debian 12 builds it.
    own->broadphase.m_sets[0].optimizeIncremental(8 * int(input->body_count));
    return own.release();
}

bool run(void* data, double* fractions)
{
    Own& own = *static_cast<Own*>(data);
    for (size_t i = 0; i < own.casts.size(); ++i) {
        const tact_body_cast& c = own.casts[i];
        const auto* shape = static_cast<const btConvexShape*>(own.moved[c.shape].get());
        const btTransform from = bullet::transform(c.from), to = bullet::transform(c.to);
        fractions[i] = HUGE_VAL;
        // A ball of radius 0 is a ray.
        if (shape->getShapeType() == SPHERE_SHAPE_PROXYTYPE && shape->getMargin() == 0) {
            btCollisionWorld::ClosestRayResultCallback hit(from.getOrigin(), to.getOrigin());
            own.world.rayTest(from.getOrigin(), to.getOrigin(), hit);
            if (hit.hasHit()) fractions[i] = double(hit.m_closestHitFraction);
        } else {
            btCollisionWorld::ClosestConvexResultCallback hit(from.getOrigin(), to.getOrigin());
            own.world.convexSweepTest(shape, from, to, hit);
            if (hit.hasHit()) fractions[i] = double(hit.m_closestHitFraction);
        }
    }
    return true;
}

void release(void* data)
{
    delete static_cast<Own*>(data);
}

}  // namespace

extern "C" const tact_cast_peer tact_cast_peer_bullet = {"Bullet", make, run, release};
