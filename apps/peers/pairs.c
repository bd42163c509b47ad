// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/peers/pairs.h"

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
