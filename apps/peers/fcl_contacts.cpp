// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The Flexible Collision Library's contacts and distances of convex shapes, in double precision, as Debian builds it:
// functions of its own for boxes, spheres and capsules, libccd for the rest.
#include <fcl/geometry/shape/box.h>
#include <fcl/geometry/shape/capsule.h>
#include <fcl/geometry/shape/convex.h>
#include <fcl/geometry/shape/sphere.h>
#include <fcl/narrowphase/collision.h>
#include <fcl/narrowphase/distance.h>

#include <algorithm>
#include <climits>
#include <exception>
#include <memory>
#include <vector>

#include "apps/peers/fcl_model.h"
#include "apps/peers/peers.h"
#include "apps/peers/share.h"

namespace
{

using Geometry = fcl::CollisionGeometry<double>;
using Place = fcl::Transform3<double>;

struct Own {
    std::vector<std::shared_ptr<Geometry>> shapes;
    std::vector<const Geometry*> geometry;
    std::vector<Place, Eigen::aligned_allocator<Place>> places;
    const tact_pair* pairs;
    size_t count;
    int threads;
};

std::shared_ptr<Geometry> convex(const tact_body_shape& shape, const tact_hull_mesh& hull)
{
    auto points = std::make_shared<std::vector<fcl::Vector3<double>>>();
    auto faces = std::make_shared<std::vector<int>>();
    std::vector<int> number(shape.point_count, -1);
    for (size_t i = 0; i < hull.vertex_count; ++i) {
        const tact_vec3& p = shape.points[hull.vertices[i]];
        number[hull.vertices[i]] = int(i);
        points->emplace_back(double(p.x), double(p.y), double(p.z));
    }
    for (size_t i = 0; i < hull.triangle_count; ++i) {
        faces->push_back(3);
        for (size_t k = 0; k < 3; ++k)
            faces->push_back(number[hull.triangles[3 * i + k]]);
    }
    return std::make_shared<fcl::Convex<double>>(points, int(hull.triangle_count), faces);
}

/// Null where it has no such shape.
std::shared_ptr<Geometry> geometry(const tact_body_shape& s, const tact_hull_mesh& hull)
{
    const double r = double(s.radius), x = double(s.half.x), y = double(s.half.y), z = double(s.half.z);
    switch (s.kind) {
        case TACT_BODY_SPHERE:
            return std::make_shared<fcl::Sphere<double>>(r);
        case TACT_BODY_CAPSULE:
            return std::make_shared<fcl::Capsule<double>>(r, 2.0 * y);
        case TACT_BODY_BOX:
            if (r > 0.0) return nullptr;
            return std::make_shared<fcl::Box<double>>(2.0 * x, 2.0 * y, 2.0 * z);
        case TACT_BODY_HULL:
            if (r > 0.0 || hull.dimension < 3) return nullptr;
            return convex(s, hull);
        case TACT_BODY_MESH: {
            if (r > 0.0) return nullptr;
            const tact_overlap_peer_mesh mesh = {.positions = &s.points->x,
                                                 .vertex_count = s.point_count,
                                                 .indices = s.triangles,
                                                 .triangle_count = s.triangle_count};
            return fcl_model<fcl::OBBRSS<double>>(&mesh);
        }
        default:
            return nullptr;
    }
}

Place place(const tact_body& b, tact_body_kind kind)
{
    const tact_quat& q = b.pose.rotation;
    Place t = Place::Identity();
    Eigen::Quaterniond turn(double(q.w), double(q.x), double(q.y), double(q.z));
    turn.normalize();
    // Its capsules lie along z.
    if (kind == TACT_BODY_CAPSULE) turn = turn * Eigen::AngleAxisd(-1.5707963267948966, Eigen::Vector3d::UnitX());
    t.linear() = turn.toRotationMatrix();
    t.translation() = fcl::Vector3<double>(b.pose.x, b.pose.y, b.pose.z);
    return t;
}

void* make(const tact_contact_peer_input* input)
{
    try {
        std::unique_ptr<Own> own(new Own);
        for (size_t i = 0; i < input->shape_count; ++i) {
            own->shapes.push_back(geometry(input->shapes[i], input->hulls[i]));
            if (!own->shapes.back()) return nullptr;
            own->shapes.back()->computeLocalAABB();
        }
        for (size_t i = 0; i < input->body_count; ++i) {
            const tact_body& b = input->bodies[i];
            if (b.pose.scale != 1.0f) return nullptr;
            own->geometry.push_back(own->shapes[b.shape].get());
            own->places.push_back(place(b, input->shapes[b.shape].kind));
        }
        own->pairs = input->pairs;
        own->count = input->pair_count;
        own->threads = input->threads;
        return own.release();
    } catch (const std::exception&) {
        return nullptr;
    }
}

bool run(void* data, uint8_t* points)
{
    const Own& own = *static_cast<const Own*>(data);
    return share_out(own.count, 64, own.threads, [&](size_t i) {
        const fcl::CollisionRequest<double> request(4, true);
        fcl::CollisionResult<double> result;
        const tact_pair p = own.pairs[i];
        points[i] = uint8_t(
            fcl::collide(own.geometry[p.a], own.places[p.a], own.geometry[p.b], own.places[p.b], request, result));
    });
}

/// The distance and the closest points; of what overlaps that it does.
bool run_distance(void* data, uint8_t* points)
{
    const Own& own = *static_cast<const Own*>(data);
    return share_out(own.count, 64, own.threads, [&](size_t i) {
        const fcl::DistanceRequest<double> request(true);
        fcl::DistanceResult<double> result;
        const tact_pair p = own.pairs[i];
        points[i] = fcl::distance(own.geometry[p.a], own.places[p.a], own.geometry[p.b], own.places[p.b], request,
                                  result) <= 0.0;
    });
}

void release(void* own)
{
    delete static_cast<Own*>(own);
}

}  // namespace

extern "C" const tact_contact_peer tact_contact_peer_fcl = {"FCL", make, run, release, INT_MAX};
extern "C" const tact_contact_peer tact_distance_peer_fcl = {"FCL", make, run_distance, release, INT_MAX};
