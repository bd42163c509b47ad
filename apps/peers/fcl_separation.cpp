// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The Flexible Collision Library's distance of two trees, in double precision, as Debian builds it: of swept spheres
// (RSS), which it is best at, and of OBBRSS. Points are not asked for, nor signs.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/distance.h>

#include <exception>

#include "apps/peers/fcl_model.h"
#include "apps/peers/peers.h"

namespace
{

template <typename Volume>
bool run(void* user, const float (*poses)[12], size_t count, double* distances)
{
    const fcl_meshes<Volume>* own = static_cast<const fcl_meshes<Volume>*>(user);
    try {
        for (size_t i = 0; i < count; ++i) {
            const fcl::DistanceRequest<double> request(false);
            fcl::DistanceResult<double> result;
            distances[i] = fcl::distance(own->a.get(), fcl::Transform3<double>::Identity(), own->b.get(),
                                         fcl_place(poses[i]), request, result);
        }
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

using Rss = fcl::RSS<double>;
using ObbRss = fcl::OBBRSS<double>;

}  // namespace

extern "C" const tact_separation_peer tact_separation_peer_rss = {"FCL RSS", fcl_make<Rss>, run<Rss>, fcl_release<Rss>};
extern "C" const tact_separation_peer tact_separation_peer_obbrss = {"FCL OBBRSS", fcl_make<ObbRss>, run<ObbRss>,
                                                                     fcl_release<ObbRss>};
