// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// A mesh as the Flexible Collision Library has it, with its tree.
#include <fcl/geometry/bvh/BVH_model.h>

#include <exception>
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

// Both meshes, as a peer keeps them from `make` to `release`.
template <typename Volume>
struct fcl_meshes {
    std::shared_ptr<fcl::BVHModel<Volume>> a, b;
};

template <typename Volume>
void* fcl_make(const tact_overlap_peer_mesh* a, const tact_overlap_peer_mesh* b)
{
    try {
        std::unique_ptr<fcl_meshes<Volume>> own(new fcl_meshes<Volume>);
        own->a = fcl_model<Volume>(a);
        own->b = fcl_model<Volume>(b);
        return own.release();
    } catch (const std::exception&) {
        return nullptr;
    }
}

template <typename Volume>
void fcl_release(void* own)
{
    delete static_cast<fcl_meshes<Volume>*>(own);
}

inline fcl::Transform3<double> fcl_place(const float* m)
{
    fcl::Transform3<double> t = fcl::Transform3<double>::Identity();
    for (int i = 0; i < 3; ++i) {
        for (int k = 0; k < 4; ++k)
            t(i, k) = double(m[4 * i + k]);
    }
    return t;
}
