// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The Flexible Collision Library: the functions that its own traversal calls, in double precision, as Debian builds it.
// The only C++ of the project, and of the benchmark alone.
#include <fcl/math/bv/AABB.h>
#include <fcl/math/bv/OBB.h>
#include <fcl/narrowphase/detail/primitive_shape_algorithm/sphere_box.h>
#include <fcl/narrowphase/detail/primitive_shape_algorithm/sphere_sphere.h>
#include <fcl/narrowphase/detail/traversal/collision/intersect.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "apps/bench/geometry.h"

namespace
{

using Vec = fcl::Vector3<double>;
constexpr int N = TACT_GEOMETRY_COUNT;

Vec vec(tact_vec3 v)
{
    return Vec(double(v.x), double(v.y), double(v.z));
}

fcl::Transform3<double> at(const Vec& center)
{
    fcl::Transform3<double> t = fcl::Transform3<double>::Identity();
    t.translation() = center;
    return t;
}

struct Data {
    std::vector<fcl::AABB<double>> boxes[2];
    std::vector<fcl::OBB<double>, Eigen::aligned_allocator<fcl::OBB<double>>> obbs[2];
    std::vector<Vec> corners[2];
    std::vector<fcl::Sphere<double>> spheres[2];
    std::vector<fcl::Box<double>> solids;
    std::vector<fcl::Transform3<double>, Eigen::aligned_allocator<fcl::Transform3<double>>> places[2], box_places;
};

fcl::OBB<double> obb(const tact_obb& b)
{
    fcl::Matrix3<double> axes;
    for (int i = 0; i < 3; ++i)
        axes.col(i) = vec(b.axis[i]);
    return fcl::OBB<double>(axes, vec(b.center), vec(b.half));
}

void* make(const tact_geometry_data* data)
{
    Data* d = new (std::nothrow) Data;
    for (int k = 0; d && k < 2; ++k) {
        for (int i = 0; i < N; ++i) {
            const Vec low = vec(data->boxes[k][i].lower), high = vec(data->boxes[k][i].upper);
            const tact_triangle& t = data->triangles[k][i];
            d->boxes[k].emplace_back(low, high);
            d->obbs[k].push_back(obb(data->obbs[k][i]));
            d->corners[k].push_back(vec(t.a));
            d->corners[k].push_back(vec(t.b));
            d->corners[k].push_back(vec(t.c));
            d->spheres[k].emplace_back(double(data->spheres[k][i].radius));
            d->places[k].push_back(at(vec(data->spheres[k][i].center)));
            if (k == 0) continue;
            d->solids.emplace_back(Vec(high - low));
            d->box_places.push_back(at((low + high) * 0.5));
        }
    }
    return d;
}

void release(void* own)
{
    delete static_cast<Data*>(own);
}

size_t aabbs(const tact_geometry_data*, void* own)
{
    const Data& d = *static_cast<Data*>(own);
    size_t yes = 0;
    for (int i = 0; i < N; ++i)
        yes += d.boxes[0][i].overlap(d.boxes[1][i]);
    return yes;
}

size_t obbs(const tact_geometry_data*, void* own)
{
    const Data& d = *static_cast<Data*>(own);
    size_t yes = 0;
    for (int i = 0; i < N; ++i)
        yes += d.obbs[0][i].overlap(d.obbs[1][i]);
    return yes;
}

size_t triangles(const tact_geometry_data*, void* own)
{
    const Data& d = *static_cast<Data*>(own);
    size_t yes = 0;
    for (int i = 0; i < N; ++i) {
        const Vec *p = &d.corners[0][3 * i], *q = &d.corners[1][3 * i];
        yes += fcl::detail::Intersect<double>::intersect_Triangle(p[0], p[1], p[2], q[0], q[1], q[2]);
    }
    return yes;
}

size_t spheres(const tact_geometry_data*, void* own)
{
    const Data& d = *static_cast<Data*>(own);
    size_t yes = 0;
    for (int i = 0; i < N; ++i) {
        yes += fcl::detail::sphereSphereIntersect<double>(d.spheres[0][i], d.places[0][i], d.spheres[1][i],
                                                          d.places[1][i], nullptr);
    }
    return yes;
}

size_t sphere_boxes(const tact_geometry_data*, void* own)
{
    const Data& d = *static_cast<Data*>(own);
    size_t yes = 0;
    for (int i = 0; i < N; ++i) {
        yes += fcl::detail::sphereBoxIntersect<double>(d.spheres[0][i], d.places[0][i], d.solids[i], d.box_places[i],
                                                       nullptr);
    }
    return yes;
}

const tact_geometry_way all[] = {
    {"sphere, sphere", "FCL", true, make, spheres, release},
    {"sphere, AABB", "FCL", true, make, sphere_boxes, release},
    {"AABB, AABB", "FCL", true, make, aabbs, release},
    {"OBB, OBB", "FCL", true, make, obbs, release},
    {"triangle, triangle", "FCL", true, make, triangles, release},
};

}  // namespace

size_t tact_geometry_ways_fcl(const tact_geometry_way** ways)
{
    *ways = all;
    return sizeof all / sizeof all[0];
}
