// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// Bodies' shapes and poses as Bullet has them.

#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletCollision/CollisionShapes/btBvhTriangleMeshShape.h>
#include <BulletCollision/CollisionShapes/btCapsuleShape.h>
#include <BulletCollision/CollisionShapes/btConeShape.h>
#include <BulletCollision/CollisionShapes/btConvexHullShape.h>
#include <BulletCollision/CollisionShapes/btCylinderShape.h>
#include <BulletCollision/CollisionShapes/btSphereShape.h>
#include <BulletCollision/CollisionShapes/btStaticPlaneShape.h>
#include <BulletCollision/CollisionShapes/btTriangleIndexVertexArray.h>

#include <memory>
#include <vector>

#include "tact/bodies.h"

namespace bullet
{

/// Its own default, by which hulls and boxes reach farther than their corners. Corners are drawn in by as much, as part
/// of how far they are from the middle, so that the shapes are about as large as they were.
const float bullet_margin = CONVEX_DISTANCE_MARGIN;

inline std::unique_ptr<btCollisionShape> hull(const tact_vec3* points, size_t count, float radius, float scale)
{
    std::unique_ptr<btConvexHullShape> shape(new btConvexHullShape);
    const float out = radius > 0.0f ? radius * scale : bullet_margin;
    for (size_t i = 0; i < count; ++i) {
        const btVector3 p = btVector3(points[i].x, points[i].y, points[i].z) * scale;
        const float length = p.length();
        shape->addPoint(radius > 0.0f || length <= bullet_margin ? p : p * ((length - bullet_margin) / length), false);
    }
    shape->recalcLocalAabb();
    shape->setMargin(out);
    return shape;
}

/// A box with a radius is a hull of its corners with that margin.
inline std::unique_ptr<btCollisionShape> rounded(const tact_body_shape& s, float scale)
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

inline Shape shape_of(const tact_body_shape& s, float scale)
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

inline btTransform transform(const tact_pose& p)
{
    const tact_quat& q = p.rotation;
    btQuaternion turn(q.x, q.y, q.z, q.w);
    turn.normalize();
    return btTransform(turn, btVector3(btScalar(p.x), btScalar(p.y), btScalar(p.z)));
}

}  // namespace bullet
