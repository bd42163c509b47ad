// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/peers/overlap.h"

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
