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
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "apps/peers/peers.h"
#include "apps/peers/share.h"

namespace
{

/// Its own default, by which hulls and boxes reach farther than their corners. Corners are drawn in by as much, as part
/// of how far they are from the middle, so that the shapes are about as large as they were.
const float margin = CONVEX_DISTANCE_MARGIN;

std::unique_ptr<btCollisionShape> hull(const tact_vec3* points, size_t count, float radius, float scale)
{
    std::unique_ptr<btConvexHullShape> shape(new btConvexHullShape);
    const float out = radius > 0.0f ? radius * scale : margin;
    for (size_t i = 0; i < count; ++i) {
        const btVector3 p = btVector3(points[i].x, points[i].y, points[i].z) * scale;
        const float length = p.length();
        shape->addPoint(radius > 0.0f || length <= margin ? p : p * ((length - margin) / length), false);
    }
    shape->recalcLocalAabb();
    shape->setMargin(out);
    return shape;
}

/// A box with a radius is a hull of its corners with that margin.
std::unique_ptr<btCollisionShape> rounded(const tact_body_shape& s, float scale)
{
    tact_vec3 corners[8];
    for (int i = 0; i < 8; ++i)
        corners[i] = {i & 1 ? s.half.x : -s.half.x, i & 2 ? s.half.y : -s.half.y, i & 4 ? s.half.z : -s.half.z};
    return hull(corners, 8, s.radius, scale);
}

/// The arrays of a mesh, which live as long as it.
struct MeshArrays {
    std::vector<btScalar> points;
    std::vector<int> corners;
    btTriangleIndexVertexArray arrays;

    MeshArrays(const tact_body_shape& s, float scale) : corners(s.triangles, s.triangles + 3 * s.triangle_count)
    {
        for (size_t i = 0; i < s.point_count; ++i)
            points.insert(points.end(), {s.points[i].x * scale, s.points[i].y * scale, s.points[i].z * scale});
        btIndexedMesh mesh;
        mesh.m_numTriangles = int(s.triangle_count);
        mesh.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(corners.data());
        mesh.m_triangleIndexStride = 3 * sizeof(int);
        mesh.m_numVertices = int(s.point_count);
        mesh.m_vertexBase = reinterpret_cast<const unsigned char*>(points.data());
        mesh.m_vertexStride = 3 * sizeof(btScalar);
        arrays.addIndexedMesh(mesh);
    }
};

struct Mesh : private MeshArrays, public btBvhTriangleMeshShape {
    Mesh(const tact_body_shape& s, float scale) : MeshArrays(s, scale), btBvhTriangleMeshShape(&arrays, true)
    {
        setMargin(s.radius * scale);
    }
};

using Shape = std::unique_ptr<btCollisionShape>;

Shape shape_of(const tact_body_shape& s, float scale)
{
    switch (s.kind) {
        case TACT_BODY_SPHERE:
            return Shape(new btSphereShape(s.radius * scale));
        case TACT_BODY_CAPSULE:
            return Shape(new btCapsuleShape(s.radius * scale, 2.0f * s.half.y * scale));
        case TACT_BODY_BOX:
            if (s.radius > 0.0f) return rounded(s, scale);
            return Shape(new btBoxShape(btVector3(s.half.x, s.half.y, s.half.z) * scale));
        case TACT_BODY_HULL:
            return hull(s.points, s.point_count, s.radius, scale);
        case TACT_BODY_CYLINDER:
            return Shape(new btCylinderShape(btVector3(s.radius, s.half.y, s.radius) * scale));
        case TACT_BODY_CONE:
            return Shape(new btConeShape(s.radius * scale, 2.0f * s.half.y * scale));
        case TACT_BODY_MESH:
            return Shape(new Mesh(s, scale));
        case TACT_BODY_HALF_SPACE:
            return Shape(new btStaticPlaneShape(btVector3(0, 1, 0), 0));
        default:
            return nullptr;
    }
}

btTransform transform(const tact_pose& p)
{
    const tact_quat& q = p.rotation;
    btQuaternion turn(q.x, q.y, q.z, q.w);
    turn.normalize();
    return btTransform(turn, btVector3(btScalar(p.x), btScalar(p.y), btScalar(p.z)));
}

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
