// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The Flexible Collision Library's distance of two trees, in double precision, as Debian builds it: of swept spheres
// (RSS), which it is best at, and of OBBRSS. Points are not asked for, nor signs.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/distance.h>

#include <exception>
#include <memory>

#include "apps/peers/fcl_model.h"
#include "apps/peers/peers.h"

namespace
{

template <typename Volume>
struct Own {
    std::shared_ptr<fcl::BVHModel<Volume>> a, b;
};

template <typename Volume>
void* make(const tact_overlap_peer_mesh* a, const tact_overlap_peer_mesh* b)
{
    try {
        std::unique_ptr<Own<Volume>> own(new Own<Volume>);
        own->a = fcl_model<Volume>(a);
        own->b = fcl_model<Volume>(b);
        return own.release();
    } catch (const std::exception&) {
        return nullptr;
    }
}

template <typename Volume>
void release(void* own)
{
    delete static_cast<Own<Volume>*>(own);
}

fcl::Transform3<double> place(const float* m)
{
    fcl::Transform3<double> t = fcl::Transform3<double>::Identity();
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 4; ++k)
            t(i, k) = double(m[4 * i + k]);
    }
    return t;
}

template <typename Volume>
bool run(void* user, const float (*poses)[12], size_t count, double* distances)
{
    const Own<Volume>* own = static_cast<const Own<Volume>*>(user);
    try {
        for (size_t i = 0; i < count; ++i) {
            const fcl::DistanceRequest<double> request(false);
            fcl::DistanceResult<double> result;
            distances[i] = fcl::distance(own->a.get(), fcl::Transform3<double>::Identity(), own->b.get(),
                                         place(poses[i]), request, result);
        }
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

using Rss = fcl::RSS<double>;
using ObbRss = fcl::OBBRSS<double>;

}  // namespace

extern "C" const tact_separation_peer tact_separation_peer_rss = {"FCL RSS", make<Rss>, run<Rss>, release<Rss>};
extern "C" const tact_separation_peer tact_separation_peer_obbrss = {"FCL OBBRSS", make<ObbRss>, run<ObbRss>,
                                                                     release<ObbRss>};
