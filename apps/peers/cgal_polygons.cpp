// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// CGAL's constrained Delaunay triangulation, with exact decisions.

// Its exact numbers without a library to link.
#define CGAL_DISABLE_GMP 1
#include <CGAL/Constrained_Delaunay_triangulation_2.h>
#include <CGAL/Constrained_triangulation_face_base_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Triangulation_face_base_with_info_2.h>

#include <exception>
#include <utility>
#include <vector>

#include "apps/peers/peers.h"

namespace
{

using kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using vertex_base = CGAL::Triangulation_vertex_base_2<kernel>;
// With the parity of the edges between a face and the outside: -1 until it is reached.
using face_with_info = CGAL::Triangulation_face_base_with_info_2<int, kernel>;
using face_base = CGAL::Constrained_triangulation_face_base_2<kernel, face_with_info>;
using structure = CGAL::Triangulation_data_structure_2<vertex_base, face_base>;
using triangulation =
    CGAL::Constrained_Delaunay_triangulation_2<kernel, structure, CGAL::No_constraint_intersection_tag>;

/// Counts the faces that an odd number of edges is around.
uint64_t count_inside(triangulation& t)
{
    uint64_t inside = 0;
    for (auto face = t.all_faces_begin(); face != t.all_faces_end(); ++face)
        face->info() = -1;
    std::vector<triangulation::Face_handle> stack{t.infinite_face()};
    t.infinite_face()->info() = 0;
    while (!stack.empty()) {
        const triangulation::Face_handle face = stack.back();
        stack.pop_back();
        inside += face->info();
        for (int i = 0; i < 3; ++i) {
            const triangulation::Face_handle other = face->neighbor(i);
            if (other->info() >= 0) continue;
            other->info() = face->info() ^ (face->is_constrained(i) ? 1 : 0);
            stack.push_back(other);
        }
    }
    return inside;
}

bool triangulate(const tact_vec2* ring, size_t count, uint64_t* triangles)
{
    try {
        std::vector<kernel::Point_2> points;
        std::vector<std::pair<size_t, size_t>> edges;
        for (size_t i = 0; i < count; ++i) {
            points.emplace_back(ring[i].x, ring[i].y);
            edges.emplace_back(i, i + 1 < count ? i + 1 : 0);
        }
        triangulation t;
        t.insert_constraints(points.begin(), points.end(), edges.begin(), edges.end());
        *triangles = count_inside(t);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

}  // namespace

extern "C" const tact_polygon_peer tact_polygon_peer_cgal = {"CGAL", triangulate};
