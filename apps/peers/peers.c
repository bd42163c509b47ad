// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/peers/peers.h"

const tact_overlap_peer* tact_overlap_peer_at(size_t index)
{
    static const tact_overlap_peer* const peers[] = {
#ifdef TACT_HAVE_FCL
        &tact_overlap_peer_fcl,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_separation_peer* tact_separation_peer_at(size_t index)
{
    static const tact_separation_peer* const peers[] = {
#ifdef TACT_HAVE_FCL
        &tact_separation_peer_rss,
        &tact_separation_peer_obbrss,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_neighbour_peer* tact_neighbour_peer_at(size_t index)
{
    static const tact_neighbour_peer* const peers[] = {
#ifdef TACT_HAVE_TREENSEARCH
        &tact_neighbour_peer_treensearch,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_near_peer* tact_near_peer_at(size_t index)
{
    static const tact_near_peer* const peers[] = {
#ifdef TACT_HAVE_EMBREE3
        &tact_near_peer_embree,
#endif
#ifdef TACT_HAVE_BULLET
        &tact_near_peer_bullet,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_cloud_peer* tact_cloud_peer_at(size_t index)
{
    static const tact_cloud_peer* const peers[] = {
#ifdef TACT_HAVE_NANOFLANN
        &tact_cloud_peer_nanoflann,
#endif
#ifdef TACT_HAVE_CGAL
        &tact_cloud_peer_cgal,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_polygon_peer* tact_polygon_peer_at(size_t index)
{
    static const tact_polygon_peer* const peers[] = {
#ifdef TACT_HAVE_CGAL
        &tact_polygon_peer_cgal,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_pair_peer* tact_pair_peer_at(size_t index)
{
    static const tact_pair_peer* const peers[] = {
#ifdef TACT_HAVE_EMBREE3
        &tact_pair_peer_embree_low,
        &tact_pair_peer_embree_medium,
#endif
#ifdef TACT_HAVE_FCL
        &tact_pair_peer_fcl,
#endif
#ifdef TACT_HAVE_BULLET
        &tact_pair_peer_bullet,
        &tact_pair_peer_dbvt,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_contact_peer* tact_contact_peer_at(size_t index)
{
    static const tact_contact_peer* const peers[] = {
#ifdef TACT_HAVE_BULLET
        &tact_contact_peer_bullet_cold,
        &tact_contact_peer_bullet_warm,
#endif
#ifdef TACT_HAVE_FCL
        &tact_contact_peer_fcl,
#endif
#ifdef TACT_HAVE_CCD
        &tact_contact_peer_gjk,
        &tact_contact_peer_mpr,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_contact_peer* tact_distance_peer_at(size_t index)
{
    static const tact_contact_peer* const peers[] = {
#ifdef TACT_HAVE_FCL
        &tact_distance_peer_fcl,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_world_peer* tact_world_peer_at(size_t index)
{
    static const tact_world_peer* const peers[] = {
#ifdef TACT_HAVE_BULLET
        &tact_world_peer_bullet,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}

const tact_cast_peer* tact_cast_peer_at(size_t index)
{
    static const tact_cast_peer* const peers[] = {
#ifdef TACT_HAVE_BULLET
        &tact_cast_peer_bullet,
#endif
        NULL,
    };
    return index < sizeof peers / sizeof peers[0] ? peers[index] : NULL;
}
