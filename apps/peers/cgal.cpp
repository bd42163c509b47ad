// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// CGAL's k-d tree, of points in single precision, searched orthogonally.
#include <CGAL/Fuzzy_sphere.h>
#include <CGAL/Orthogonal_k_neighbor_search.h>
#include <CGAL/Search_traits_3.h>
#include <CGAL/Simple_cartesian.h>

#include <iterator>
#include <limits>

#include "apps/peers/cloud_split.h"
#include "apps/peers/peers.h"

namespace
{

using kernel = CGAL::Simple_cartesian<float>;
using point = kernel::Point_3;
using traits = CGAL::Search_traits_3<kernel>;
using search = CGAL::Orthogonal_k_neighbor_search<traits>;
using sphere = CGAL::Fuzzy_sphere<traits>;

struct cloud {
    int threads;
    search::Tree tree;
};

void* make(const float* at, size_t count, int threads)
{
    try {
        cloud* c = new cloud;
        c->threads = threads;
        for (size_t i = 0; i < count; ++i)
            c->tree.insert(point(at[3 * i], at[3 * i + 1], at[3 * i + 2]));
        c->tree.build();
        return c;
    } catch (const std::exception&) {
        return nullptr;
    }
}

void release(void* own)
{
    delete static_cast<cloud*>(own);
}

point center(const tact_closest_query& q)
{
    return point(q.x, q.y, q.z);
}

bool nearest(void* own, const tact_closest_query* queries, size_t count, uint32_t number, float* squares)
{
    const cloud* c = static_cast<cloud*>(own);
    cloud_split(count, c->threads, [&](size_t i) {
        const search found(c->tree, center(queries[i]), number);
        float* to = squares + i * number;
        for (const auto& one : found)
            *to++ = one.second;
        while (to < squares + (i + 1) * number)
            *to++ = std::numeric_limits<float>::infinity();
        return 0;
    });
    return true;
}

bool within(void* own, const tact_closest_query* queries, size_t count, uint64_t* found)
{
    const cloud* c = static_cast<cloud*>(own);
    *found = cloud_split(count, c->threads, [&](size_t i) {
        thread_local std::vector<point> all;
        all.clear();
        c->tree.search(std::back_inserter(all), sphere(center(queries[i]), queries[i].max_distance));
        return all.size();
    });
    return true;
}

bool touched(void* own, const tact_closest_query* queries, size_t count, uint64_t* found)
{
    const cloud* c = static_cast<cloud*>(own);
    *found = cloud_split(count, c->threads, [&](size_t i) {
        return c->tree.search_any_point(sphere(center(queries[i]), queries[i].max_distance)) ? 1 : 0;
    });
    return true;
}

}  // namespace

extern "C" const tact_cloud_peer tact_cloud_peer_cgal = {"CGAL", make, nearest, within, touched, release};
