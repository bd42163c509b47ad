// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// TreeNSearch's lists of neighbours (Fernandez-Fernandez, Westhofen, Loschner, Jeske, Longva, Bender, "Fast Octree
// Neighborhood Search for SPH Simulations", 2022), compiled from its sources for this machine.
#include <TreeNSearch>

#include <exception>
#include <memory>
#include <vector>

#include "apps/peers/peers.h"

namespace
{

struct search {
    std::vector<float> points;
    tns::TreeNSearch lists;
    int set = 0;
};

void* open(const float* positions, size_t count, float radius, int threads, bool sorted)
{
    try {
        auto own = std::make_unique<search>();
        own->points.assign(positions, positions + 3 * count);
        own->lists.set_n_threads(threads);
        own->lists.set_search_radius(radius);
        own->set = own->lists.add_point_set(own->points.data(), static_cast<int>(count));
        own->lists.set_active_search(own->set, own->set);
        if (sorted) {
            own->lists.run();
            own->lists.prepare_zsort();
            own->lists.apply_zsort(own->set, own->points.data(), 3);
            own->lists.run();
        }
        return own.release();
    } catch (const std::exception&) {
        return nullptr;
    }
}

bool run(void* own)
{
    try {
        static_cast<search*>(own)->lists.run();
    } catch (const std::exception&) {
        return false;
    }
    return true;
}

uint64_t count_all(const void* own)
{
    const search* s = static_cast<const search*>(own);
    uint64_t sum = 0;
    for (int i = 0; i < s->lists.get_n_points_in_set(s->set); ++i)
        sum += static_cast<uint64_t>(s->lists.get_neighborlist(s->set, s->set, i).size());
    return sum;
}

void close(void* own)
{
    delete static_cast<search*>(own);
}

}  // namespace

extern "C" const tact_neighbour_peer tact_neighbour_peer_treensearch = {"TreeNSearch", open, run, count_all, close};
