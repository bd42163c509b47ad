// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// nanoflann's k-d tree, of leaves of ten points, as it comes.
#include <limits>
#include <memory>
#include <nanoflann.hpp>

#include "apps/peers/cloud_split.h"
#include "apps/peers/peers.h"

namespace
{

struct points {
    const float* at;
    size_t count;
    size_t kdtree_get_point_count() const
    {
        return count;
    }
    float kdtree_get_pt(size_t i, size_t axis) const
    {
        return at[3 * i + axis];
    }
    template <class Box>
    bool kdtree_get_bbox(Box&) const
    {
        return false;
    }
};

using tree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, points>, points, 3, uint32_t>;
#if NANOFLANN_VERSION >= 0x150
using parameters = nanoflann::SearchParameters;
using item = nanoflann::ResultItem<uint32_t, float>;
const parameters unsorted(0.0f, false);
#else
using parameters = nanoflann::SearchParams;
using item = std::pair<uint32_t, float>;
const parameters unsorted(32, 0.0f, false);
#endif

struct cloud {
    points of;
    int threads;
    tree index;
    cloud(const float* at, size_t count, int threads)
        : of{at, count}, threads(threads), index(3, of, nanoflann::KDTreeSingleIndexAdaptorParams(10))
    {
        index.buildIndex();
    }
};

void* make(const float* at, size_t count, int threads)
{
    try {
        return new cloud(at, count, threads);
    } catch (const std::exception&) {
        return nullptr;
    }
}

void release(void* own)
{
    delete static_cast<cloud*>(own);
}

bool nearest(void* own, const tact_closest_query* queries, size_t count, uint32_t number, float* squares)
{
    const cloud* c = static_cast<cloud*>(own);
    cloud_split(count, c->threads, [&](size_t i) {
        uint32_t ids[64];
        float* to = squares + i * number;
        const size_t found = c->index.knnSearch(&queries[i].x, number, ids, to);
        for (size_t k = found; k < number; ++k)
            to[k] = std::numeric_limits<float>::infinity();
        return found;
    });
    return true;
}

bool within(void* own, const tact_closest_query* queries, size_t count, uint64_t* found)
{
    const cloud* c = static_cast<cloud*>(own);
    *found = cloud_split(count, c->threads, [&](size_t i) {
        thread_local std::vector<item> all;
        const tact_closest_query& q = queries[i];
        return c->index.radiusSearch(&q.x, q.max_distance * q.max_distance, all, unsorted);
    });
    return true;
}

/// By the nearest point, sought within the distance alone.
bool touched(void* own, const tact_closest_query* queries, size_t count, uint64_t* found)
{
    const cloud* c = static_cast<cloud*>(own);
    *found = cloud_split(count, c->threads, [&](size_t i) {
        const tact_closest_query& q = queries[i];
        uint32_t id;
        float square;
        nanoflann::KNNResultSet<float, uint32_t> set(1);
        set.init(&id, &square);
        square = q.max_distance * q.max_distance;
        c->index.findNeighbors(set, &q.x, parameters());
        return set.size();
    });
    return true;
}

}  // namespace

extern "C" const tact_cloud_peer tact_cloud_peer_nanoflann = {"nanoflann", make, nearest, within, touched, release};
