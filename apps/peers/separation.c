// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/peers/separation.h"

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
