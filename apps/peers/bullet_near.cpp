// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Bullet's sweep of a convex shape against a triangle mesh with a quantized tree, as btCollisionWorld does it for one
// object.
#include <BulletCollision/CollisionDispatch/btCollisionObject.h>
#include <BulletCollision/CollisionDispatch/btCollisionWorld.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>

#include <limits>
#include <memory>
#include <new>
#include <vector>

#include "apps/peers/peers.h"
#include "apps/peers/share.h"

namespace
{

struct Own {
    std::vector<float> positions;
    std::vector<int> indices;
    std::unique_ptr<btTriangleIndexVertexArray> mesh;
    std::unique_ptr<btBvhTriangleMeshShape> shape;
    btCollisionObject object;
    int threads;
};

void* make(const tact_overlap_peer_mesh* mesh, int threads)
{
    std::unique_ptr<Own> own(new (std::nothrow) Own);
    if (!own) return nullptr;
    own->positions.assign(mesh->positions, mesh->positions + 3 * mesh->vertex_count);
    own->indices.assign(mesh->indices, mesh->indices + 3 * mesh->triangle_count);
    btIndexedMesh part;
    part.m_numTriangles = int(mesh->triangle_count);
    part.m_triangleIndexBase = reinterpret_cast<const unsigned char*>(own->indices.data());
    part.m_triangleIndexStride = 3 * sizeof(int);
    part.m_numVertices = int(mesh->vertex_count);
    part.m_vertexBase = reinterpret_cast<const unsigned char*>(own->positions.data());
    part.m_vertexStride = 3 * sizeof(float);
    part.m_vertexType = PHY_FLOAT;
    own->mesh.reset(new btTriangleIndexVertexArray);
    own->mesh->addIndexedMesh(part, PHY_INTEGER);
    own->shape.reset(new btBvhTriangleMeshShape(own->mesh.get(), true));
    own->shape->setMargin(0);  // else the mesh is as much thicker
    own->object.setCollisionShape(own->shape.get());
    own->threads = threads;
    return own.release();
}

void release(void* data)
{
    delete static_cast<Own*>(data);
}

float sweep(const Own& own, const tact_sphere_cast& cast)
{
    const tact_ray& r = cast.ray;
    const btVector3 origin(r.ox, r.oy, r.oz), way(r.dx, r.dy, r.dz);
    const btVector3 from = origin + r.tmin * way, to = origin + r.tmax * way;
    btSphereShape sphere(cast.radius);
    btCollisionWorld::ClosestConvexResultCallback found(from, to);
    btTransform start = btTransform::getIdentity(), end = btTransform::getIdentity();
    start.setOrigin(from);
    end.setOrigin(to);
    btCollisionWorld::objectQuerySingle(&sphere, start, end, const_cast<btCollisionObject*>(&own.object),
                                        own.shape.get(), own.object.getWorldTransform(), found, 0);
    if (!found.hasHit()) return std::numeric_limits<float>::infinity();
    return r.tmin + float(found.m_closestHitFraction) * (r.tmax - r.tmin);
}

bool spheres(void* data, const tact_sphere_cast* casts, size_t count, float* times)
{
    const Own& own = *static_cast<const Own*>(data);
    return share_out(count, 1024, own.threads, [&](size_t i) { times[i] = sweep(own, casts[i]); });
}

}  // namespace

extern "C" const tact_near_peer tact_near_peer_bullet = {"Bullet", make, nullptr, spheres, release};
