// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "apps/peers/peers.h"

#include "apps/peers/embree.h"

const tact_peer* tact_peers(size_t* count)
{
#ifdef TACT_HAVE_EMBREE3
    static const tact_peer peers[] = {{"Embree 3", tact_peer_embree}};
    *count = sizeof peers / sizeof peers[0];
    return peers;
#else
    *count = 0;
    return NULL;
#endif
}
