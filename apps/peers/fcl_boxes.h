// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Boxes as the Flexible Collision Library's broad phases hold them, in double precision, as Debian builds it: objects
// of a shape of which only the box is known. The boxes are given as they are, not through a shape and a place, so that
// the answers are those to the same boxes.
#include <fcl/narrowphase/collision_object.h>

#include <memory>
#include <vector>

#include "tact/geometry/types.h"

using fcl_object = fcl::CollisionObject<double>;

struct fcl_box : fcl::CollisionGeometry<double> {
    void computeLocalAABB() override
    {
    }

    void set(const tact_aabb& b)
    {
        aabb_local = fcl::AABB<double>(fcl::Vector3<double>(double(b.lower.x), double(b.lower.y), double(b.lower.z)),
                                       fcl::Vector3<double>(double(b.upper.x), double(b.upper.y), double(b.upper.z)));
        aabb_center = aabb_local.center();
        aabb_radius = (aabb_local.min_ - aabb_center).norm();
    }
};

struct fcl_boxes {
    std::vector<std::shared_ptr<fcl_box>> shapes;
    std::vector<std::unique_ptr<fcl_object>> objects;
    std::vector<fcl_object*> pointers;

    void add(const tact_aabb& b)
    {
        shapes.push_back(std::make_shared<fcl_box>());
        objects.emplace_back(new fcl_object(shapes.back()));
        pointers.push_back(objects.back().get());
        objects.back()->setUserData(reinterpret_cast<void*>(objects.size() - 1));
        set(objects.size() - 1, b);
    }

    // A box that turns by nothing is the shape's own box, moved by nothing: exact.
    void set(size_t i, const tact_aabb& b)
    {
        shapes[i]->set(b);
        pointers[i]->computeAABB();
    }

    void clear()
    {
        pointers.clear();
        objects.clear();
        shapes.clear();
    }
};
