// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The Flexible Collision Library's trees of oriented boxes and swept spheres (OBBRSS), in double precision, as Debian
// builds it. Contacts are asked for without their points, which is the least that gives all pairs.
#include <fcl/geometry/bvh/BVH_model.h>
#include <fcl/narrowphase/collision.h>

#include <limits>

#include "apps/peers/fcl_model.h"
#include "apps/peers/peers.h"
#include "apps/peers/share.h"

namespace
{

using Volume = fcl::OBBRSS<double>;
using Own = fcl_meshes<Volume>;

uint64_t pairs_in(const Own* own, const float* pose, bool all)
{
    fcl::CollisionRequest<double> request;
    request.num_max_contacts = all ? std::numeric_limits<size_t>::max() : 1;
    request.enable_contact = false;
    fcl::CollisionResult<double> result;
    fcl::collide(own->a.get(), fcl::Transform3<double>::Identity(), own->b.get(), fcl_place(pose), request, result);
    return result.numContacts();
}

bool run(void* user, const float (*poses)[12], size_t count, int threads, bool all, uint64_t* found)
{
    const Own* own = static_cast<const Own*>(user);
    return share_out(count, 1, threads, [&](size_t i) { found[i] = pairs_in(own, poses[i], all); });
}

}  // namespace

extern "C" const tact_overlap_peer tact_overlap_peer_fcl = {"FCL OBBRSS", fcl_make<Volume>, run, fcl_release<Volume>};
