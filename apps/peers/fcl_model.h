// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// A mesh as the Flexible Collision Library has it, with its tree.
#include <fcl/geometry/bvh/BVH_model.h>

#include <memory>
#include <vector>

#include "apps/peers/peers.h"

template <typename Volume>
std::shared_ptr<fcl::BVHModel<Volume>> fcl_model(const tact_overlap_peer_mesh* mesh)
{
    std::vector<fcl::Vector3<double>> points;
    std::vector<fcl::Triangle> triangles;
    points.reserve(mesh->vertex_count);
    triangles.reserve(mesh->triangle_count);
    for (size_t i = 0; i < mesh->vertex_count; ++i) {
        const float* p = mesh->positions + 3 * i;
        points.emplace_back(double(p[0]), double(p[1]), double(p[2]));
    }
    for (size_t i = 0; i < mesh->triangle_count; ++i) {
        const uint32_t* t = mesh->indices + 3 * i;
        triangles.emplace_back(t[0], t[1], t[2]);
    }
    auto model = std::make_shared<fcl::BVHModel<Volume>>();
    model->beginModel();
    model->addSubModel(points, triangles);
    model->endModel();
    return model;
}
