// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/peers/near.h"

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
